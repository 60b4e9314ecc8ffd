"""TLS to the database: what `sslmode` asks for is what happens, on a real way to a real server.

PostgreSQL from the wheel has none of its own, so it stands behind what speaks TLS for it, with a certificate made here.
"""

from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from explorer.errors import WorkspaceError
from explorer.servers.postgres.server import Address
from tests.servers.relay import over_tls, relayed_postgres

NAME = "localhost"


def certificate(folder, name):
    """A file with a certificate for a name, signed by itself, and its key."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    own = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    made = (
        x509.CertificateBuilder(own, own, key.public_key(), x509.random_serial_number(), now, now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = folder / f"{name}.pem"
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    file.write_bytes(made.public_bytes(Encoding.PEM) + secret)
    return file


@pytest.fixture
def trusted(tmp_path):
    return certificate(tmp_path, NAME)


@pytest.fixture
def roots(trusted, tmp_path):
    (tmp_path / "other").mkdir()
    return {"own": trusted, "other": certificate(tmp_path / "other", NAME)}


@pytest.fixture
def tls(team, trusted):
    """The port of the server over TLS, and the versions that clients agreed on."""
    with over_tls(Address.read(team.url), trusted) as made:
        yield made


def url(port, mode, root=None, host=NAME):
    return f"postgresql://postgres@{host}:{port}/postgres?sslmode={mode}" + (f"&sslrootcert={root}" if root else "")


def test_a_workspace_is_filled_and_asked_over_tls_that_is_verified_in_full(team, tls, trusted, tmp_path):
    port, agreed = tls
    (tmp_path / "valve.txt").write_text("Beech Aircraft built the relief valve in 1966.")
    ws = team.open(url=url(port, "verify-full", trusted))
    ws.ingest(tmp_path / "valve.txt", progress=False)
    assert "Beech Aircraft" in ws.run("Who built the relief valve?").answer
    assert {*agreed} == {"TLSv1.3"}


@pytest.mark.parametrize(("mode", "root"), [("require", None), ("prefer", None), ("verify-ca", NAME)])
def test_what_is_not_asked_for_is_not_verified(team, tls, trusted, mode, root):
    port, agreed = tls
    assert team.open(url=url(port, mode, root and trusted, "127.0.0.1")).size.facts == 0
    assert agreed


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("verify-full", "own", "127.0.0.1"), "IP address mismatch, certificate is not valid for '127.0.0.1'"),
        (("verify-full", None, NAME), "self-signed certificate"),
        (("verify-ca", None, NAME), "self-signed certificate"),
        (("verify-ca", "other", NAME), "self-signed certificate"),
    ],
)
def test_a_certificate_that_does_not_fit_is_refused_before_anything_is_sent(team, tls, roots, asked, said):
    (port, agreed), (mode, root, host) = tls, asked
    with pytest.raises(WorkspaceError, match=said) as failed:
        team.open(url=url(port, mode, root and roots[root], host))
    assert f"postgres@{host}:{port}/postgres" in str(failed.value)
    assert "sslrootcert=FILE" in str(failed.value)
    assert agreed == []


def test_a_file_of_certificates_that_is_not_there_is_named(team, tls, tmp_path):
    with pytest.raises(WorkspaceError, match=r"nowhere\.pem can't be read \(.*No such file.*\); check its path"):
        team.open(url=url(tls[0], "verify-full", tmp_path / "nowhere.pem"))


@pytest.mark.parametrize("mode", ["require", "verify-ca", "verify-full"])
def test_a_server_without_tls_is_refused_where_it_is_asked_for(team, mode):
    with relayed_postgres(Address.read(team.url)) as (plain, counted):
        with pytest.raises(WorkspaceError, match=r"has no TLS: .*sslmode=prefer"):
            team.open(url=plain.replace("sslmode=disable", f"sslmode={mode}"))
        assert counted.reads == []
        assert team.open(url=plain.replace("sslmode=disable", "sslmode=prefer")).size.facts == 0
