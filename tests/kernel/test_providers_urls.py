"""Which addresses a provider may have."""

import ipaddress
from datetime import UTC, datetime

import pytest

from agentcore.errors import ProviderUnavailable, ProviderUrlForbidden
from agentcore.providers.failures import failure_of, retry_after_s
from agentcore.providers.urls import check_address, checked_addresses, checked_url
from tests.recorded import case

URLS = case("A50")["input"]["rows"]
ODD = [
    "http://2130706433/",
    "http://0x7f.1/",
    "http://127.1/",
    "http://0177.0.0.1/",
    "http://[::ffff:10.0.0.8]/",
    "http://[::ffff:a9fe:a9fe]/",
    "http://[64:ff9b::10.0.0.8]/",
    "http://[2002:0a00:0008::]/",
    "http://[::7f00:1]/",
    "http://[fe80::1%25eth0]/",
    "http://100.64.0.1/",
    "http://192.0.2.1/",
    "http://224.0.0.1/",
    "http://255.255.255.255/",
    "http://METADATA.google.internal./",
    "http://user:secret@example.com/",
    "http://example.com/?key=secret",
    "http:///v1",
    "//example.com",
    "",
    "http://[::1",
    "http://example.com:99999/",
    "http://①②⑦.⓪.⓪.①/",
    "http://127。0。0。1/",
    "http://１２７.1/",
    "http://127.0.0.1./",
    "http://0x7f.1./",
    "http://[::1%25lo]/",
    "http://[::ffff:0:10.0.0.8]/",
    "http://[64:ff9b:1::a00:8]/",
    "http://[fec0::1]/",
    "http://127%2e0.0.1/",
    "http://example.com\\@127.0.0.1/",
    "http://a b/",
    "http://../",
]
NEVER = [
    "http://169.254.169.254/latest/meta-data/",
    "http://metadata.google.internal/",
    "http://[fd00:ec2::254]/",
    "http://100.100.100.200/",
    "http://[fe80::1]/",
    "http://[::ffff:169.254.169.254]/",
    "http://[::ffff:0:169.254.169.254]/",
    "http://[64:ff9b::a9fe:a9fe]/",
    "http://[2002:a9fe:a9fe::]/",
    "http://[fd00:ec2::254%251]/",
    "http://[fe80::1%25eth0]/",
    "http://2852039166/",
    "http://0251.0376.0251.0376/",
    "http://0xa9.0xfe.0xa9.0xfe/",
    "http://169.254.169.254./",
    "http://①⑥⑨.254.169.254/",
    "http://METADATA.google.internal。/",
    "http://0.0.0.0/",
    "file:///etc/passwd",
    "gopher://127.0.0.1:6379/_x",
]


@pytest.mark.parametrize("url", [*URLS, *ODD])
async def test_an_address_inside_is_refused(url: str) -> None:
    with pytest.raises(ProviderUrlForbidden):
        await checked_addresses(checked_url(url), allow_private=False)


@pytest.mark.parametrize("url", NEVER)
async def test_metadata_and_link_local_stay_refused_with_the_setting(url: str) -> None:
    with pytest.raises(ProviderUrlForbidden):
        await checked_addresses(checked_url(url), allow_private=True)


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:8080/v1", "http://10.0.0.8", "http://[::1]:1/", "http://100.64.0.1/"]
)
async def test_a_private_address_is_allowed_by_the_setting(url: str) -> None:
    assert await checked_addresses(checked_url(url), allow_private=True)


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"])
def test_a_public_address_is_allowed(address: str) -> None:
    check_address(ipaddress.ip_address(address), allow_private=False)


async def test_a_name_that_nobody_knows_is_unavailable() -> None:
    with pytest.raises(ProviderUnavailable):
        await checked_addresses(checked_url("http://nobody.invalid/v1"), allow_private=True)


def test_a_url_in_its_parts() -> None:
    url = checked_url("https://API.example.com/v1/")

    assert (url.scheme, url.host, url.port, url.path, url.authority) == (
        "https",
        "api.example.com",
        443,
        "/v1",
        "api.example.com",
    )
    assert checked_url("http://[::1]:8080").authority == "[::1]:8080"


NOW = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "90"}, 90),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "Mon, 30 Nov 2026 12:01:30 GMT"}, 90),
        ({"retry-after": "Mon, 30 Nov 2026 11:00:00 GMT"}, 0),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "99999999999999"}, None),
        ({"retry-after": "Mon, 01 Jan 99999999999 00:00:00 GMT"}, None),
        ({"retry-after": "Mon, 30 Nov 2026 12:01:30 +99999999999999999999"}, None),
        ({}, None),
    ],
)
def test_the_wait_that_an_upstream_asks_for(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_s(headers, now=NOW) == seconds


@pytest.mark.parametrize(
    ("status", "body", "code"),
    [
        (400, '{"error":{"code":"context_length_exceeded","message":"x"}}', "CONTEXT_LENGTH_EXCEEDED"),
        (400, '{"error":{"code":"content_filter","message":"x"}}', "CONTENT_FILTERED"),
        (400, '{"error":{"message":"The model `x` does not exist"}}', "MODEL_NOT_FOUND"),
        (402, "", "PROVIDER_QUOTA_EXCEEDED"),
        (403, '{"error":"no"}', "PROVIDER_AUTH_FAILED"),
        (408, "", "PROVIDER_TIMEOUT"),
        (409, "", "PROVIDER_UNAVAILABLE"),
        (422, "{}", "PROVIDER_BAD_REQUEST"),
        (429, '{"error":{"message":"slow down"}}', "PROVIDER_RATE_LIMITED"),
        (429, '{"error":{"code":"insufficient_quota","message":"x"}}', "PROVIDER_QUOTA_EXCEEDED"),
        (302, "", "PROVIDER_URL_FORBIDDEN"),
        (500, "[" * 100000, "PROVIDER_UNAVAILABLE"),
        (504, "", "PROVIDER_TIMEOUT"),
        (101, "", "PROVIDER_BAD_RESPONSE"),
    ],
)
def test_a_status_has_its_code(status: int, body: str, code: str) -> None:
    assert failure_of(status, body.encode(), {}, now=NOW).code == code


def test_a_long_message_is_quoted_in_part() -> None:
    error = failure_of(400, b'{"error":{"message":"' + b"x" * 5000 + b'"}}', {}, now=NOW)

    assert error.message.count("x") == 500
