"""Formats and dialogues of other people's programs. They call back and decide nothing.

sgf         game trees as text; sgf_games: Hex (GM[11]) and Gomoku (GM[4]) in them
psq         games of Gomoku as Piskvork keeps them
hexworld    a game of Hex in the address of a page
htp         the Hex Text Protocol: an engine's side of it
gomocup     the protocol of Gomocup and Piskvork: an engine's side; gomocup_loop: on a pair of pipes
child       a foreign program as a child process, line by line, against the clock
htp_client, gomocup_client  the side of whoever drives an engine
lines       lines of text as programs send them to each other
oht         the Online Hex Tournament: the client to subclass, and a server's end of the line
"""
