"""A server's own certificate: made once, given to the clients, who trust it and no other."""

from __future__ import annotations

import datetime
import ipaddress
import os
from pathlib import Path

from tengen.protocols.oht.wire import TournamentError

YEARS = 5


def ensure_certificate(folder: Path) -> tuple[Path, Path]:
    """The files of certificate and key in a folder; made where they are missing or out of date."""
    certificate, key = folder / "server.crt", folder / "server.key"
    if not (certificate.is_file() and key.is_file() and _is_valid(certificate)):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            _make(certificate, key)
        except OSError as error:
            raise TournamentError(f"{folder} cannot be written to: {error.strerror}") from None
    return certificate, key


def _is_valid(file: Path) -> bool:
    from cryptography import x509  # here, so that nobody else waits for it

    try:
        found = x509.load_pem_x509_certificate(file.read_bytes())
    except ValueError:
        return False
    return found.not_valid_after_utc > datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=7)


def _make(certificate: Path, key: Path) -> None:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    secret = ec.generate_private_key(ec.SECP256R1())
    public = secret.public_key()
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Tengen Online Hex Tournament")])
    now = datetime.datetime.now(datetime.UTC)
    identity = x509.SubjectKeyIdentifier.from_public_key(public)
    names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    usage = x509.KeyUsage(
        digital_signature=True, key_cert_sign=True, crl_sign=True, content_commitment=False, key_encipherment=False,
        data_encipherment=False, key_agreement=False, encipher_only=False, decipher_only=False,
    )  # fmt: skip
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))  # a client's clock may be slow
        .not_valid_after(now + datetime.timedelta(days=365 * YEARS))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(identity, critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(identity), critical=False)
        .sign(secret, hashes.SHA256())
    )
    text = secret.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    descriptor = os.open(key, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)  # for nobody else to read
    with os.fdopen(descriptor, "wb") as file:
        file.write(text)
    key.chmod(0o600)
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
