"""Provider addresses: which of them may be connected to, checked when the connection is made."""

import asyncio
import ipaddress
import re
import socket
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import SplitResult, urlsplit

from django.utils.translation import gettext as _

from agentcore.errors import ProviderUnavailable, ProviderUrlForbidden

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

# Cloud metadata that lives on addresses which are otherwise only private, and the carrier's shared range.
METADATA = frozenset(map(ipaddress.ip_address, ("100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254")))
DEFAULT_PORTS = {"http": 80, "https": 443}
_NAME = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*")
METADATA_HOSTS = frozenset({"metadata.google.internal", "metadata", "metadata.goog", "instance-data"})
SHARED = ipaddress.ip_network("100.64.0.0/10")
PRIVATE = tuple(
    map(
        ipaddress.ip_network,
        ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "127.0.0.0/8", "100.64.0.0/10", "::1/128", "fc00::/7"),
    )
)
# No site has use for these, and not every version of Python knows that: translation and sites of their own.
_LOCAL = (ipaddress.ip_network("64:ff9b:1::/48"), ipaddress.ip_network("fec0::/10"))
_EMBEDDED = (
    (ipaddress.ip_network("64:ff9b::/96"), 0),
    (ipaddress.ip_network("::ffff:0:0:0/96"), 0),
    (ipaddress.ip_network("::/96"), 0),
    (ipaddress.ip_network("2002::/16"), 80),
)


@dataclass(frozen=True, slots=True)
class CheckedUrl:
    """A URL that passed the checks that need no look-up."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        """``host[:port]`` as the Host header has it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def origin(self) -> str:
        return f"{self.scheme}://{self.authority}"


def checked_url(url: str) -> CheckedUrl:
    """``url`` in its parts.

    Raises:
        ProviderUrlForbidden: it is not http(s), has no host, holds a password, or names a metadata service.
    """
    try:
        parts = urlsplit(url)
        host, port = _ascii(parts.hostname or "").lower().rstrip("."), parts.port
    except ValueError:
        parts, host, port = SplitResult("", "", "", "", ""), "", None
    if parts.scheme not in {"http", "https"} or not _is_host(host):
        raise ProviderUrlForbidden(_("A provider's address must begin with http:// or https:// and name a host."))
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ProviderUrlForbidden(
            _("A provider's address may hold no user name, password, query or fragment; store the key as a credential.")
        )
    if host in METADATA_HOSTS:
        raise ProviderUrlForbidden()
    return CheckedUrl(parts.scheme, host, port or DEFAULT_PORTS[parts.scheme], parts.path.rstrip("/"))


def _ascii(host: str) -> str:
    """Also digits and dots of other scripts become what a resolver would read."""
    return host if host.isascii() else host.encode("idna").decode("ascii")


def _is_host(host: str) -> bool:
    """A name, or an address without a zone, which only makes sense for link-local ones."""
    if ":" not in host:
        return _NAME.fullmatch(host) is not None
    try:
        return ipaddress.IPv6Address(host).scope_id is None
    except ValueError:
        return False


def check_address(address: Address, *, allow_private: bool) -> None:
    """
    Raises:
        ProviderUrlForbidden: it is private and that is not allowed, or one that is never allowed: link-local,
            metadata, multicast, unspecified, reserved.
    """
    address = _unwrapped(address)
    if address in METADATA or address.is_link_local or address.is_multicast or address.is_unspecified:
        raise ProviderUrlForbidden()
    if any(address in network for network in PRIVATE if network.version == address.version):
        if not allow_private:
            raise ProviderUrlForbidden(
                _("That address is private. An operator can allow it with ALLOW_PRIVATE_PROVIDER_URLS.")
            )
        return
    if not address.is_global or any(address in network for network in _LOCAL):
        raise ProviderUrlForbidden()


def checked_at_rest(url: str, *, allow_private: bool) -> CheckedUrl:
    """``url`` as far as it can be checked without asking a name server: for the moment when it is stored.

    Raises:
        ProviderUrlForbidden: as ``checked_url``; or its host is an address, however it is spelt, that is not allowed.
    """
    checked = checked_url(url)
    for address in _spelt(checked.host):
        check_address(address, allow_private=allow_private)
    return checked


def _spelt(host: str) -> list[Address]:
    """The addresses that ``host`` spells itself: ``0x7f.1`` is one, and so is ``localhost``."""
    if host == "localhost" or host.endswith(".localhost"):
        return [ipaddress.ip_address("127.0.0.1")]
    try:
        infos = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    except (OSError, UnicodeError):
        return []  # a name: what it means is only known when it is connected to
    return [ipaddress.ip_address(str(info[4][0]).split("%")[0]) for info in infos]


async def checked_addresses(url: CheckedUrl, *, allow_private: bool) -> list[str]:
    """The addresses of a host, each checked: connect to one of these, never to the name again.

    Raises:
        ProviderUrlForbidden: one of them is not allowed.
        ProviderUnavailable: the name is not known.
    """
    found = list(dict.fromkeys(await _resolved(url)))
    for address in found:
        check_address(address, allow_private=allow_private)
    return [str(address) for address in found]


async def _resolved(url: CheckedUrl) -> list[Address]:
    try:
        return [ipaddress.ip_address(url.host)]
    except ValueError:
        pass  # a name, or an odd spelling of an address, which the resolver reads as the system would
    try:
        infos = await asyncio.get_running_loop().getaddrinfo(url.host, url.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        infos = []
    if not infos:
        raise ProviderUnavailable(_("The provider's address is not known."))
    # The zone that a resolver adds (``%eth0``) would hide an address from its lists.
    return [ipaddress.ip_address(str(info[4][0]).split("%")[0]) for info in infos]


def _unwrapped(address: Address) -> Address:
    """The IPv4 address inside an IPv6 one that carries it."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    for network, shift in _EMBEDDED:
        if address in network and int(address) > 1:
            return ipaddress.IPv4Address(int(address) >> shift & 0xFFFFFFFF)
    return address
