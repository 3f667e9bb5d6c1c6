"""Beyond one machine, by Ray: self-play and tournaments, with the workers that threads run here."""
