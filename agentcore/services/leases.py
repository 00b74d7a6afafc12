"""Leases: who executes a run, and how another knows that it is gone."""

import os
import socket
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from agentcore.conf import steward
from agentcore.models import Run


class LeaseLost(Exception):
    """Another owner has the run by now, or it has ended: nothing more may be written for it."""

    def __init__(self, run_id: UUID) -> None:
        super().__init__(f"The lease of run {run_id} is lost.")


@cache
def host() -> str:
    """This machine and its process namespace: pids mean the same thing to all who share it."""
    try:
        namespace = os.stat("/proc/self/ns/pid").st_ino
    except OSError:
        namespace = 0
    return f"{socket.gethostname()}/{namespace}"


def process_start(pid: int) -> str | None:
    """When a process of this machine began, in the kernel's ticks, or None when there is none of that id.

    A pid is used again; a pid with its start is not. Source: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except FileNotFoundError:
        return None if Path("/proc/self/stat").exists() else _start_without_proc(pid)
    except OSError:
        return _start_without_proc(pid)
    state, fields = stat.rpartition(")")[2].split()[0], stat.rpartition(")")[2].split()
    return None if state in {"Z", "X"} else fields[19]


def _start_without_proc(pid: int) -> str | None:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return None
    except PermissionError:
        pass
    return "0"


def own_owner() -> str:
    """The name under which this process holds leases: host, pid and start."""
    pid = os.getpid()
    return f"{host()}:{pid}:{process_start(pid)}"


def owner_is_dead(owner: str) -> bool:
    """Whether ``owner`` was a process of this machine that is gone. Of other machines only the lease can tell."""
    machine, pid, start = owner.rsplit(":", 2) if owner else ("", "0", "")
    return machine == host() and process_start(int(pid)) != start


def lease_end() -> datetime:
    """When a lease that is taken or renewed now runs out."""
    return timezone.now() + timedelta(seconds=steward().LEASE_SECONDS)


@transaction.atomic
def leases_renew(run_ids: list[UUID], *, owner: str) -> None:
    """Extend the leases of the runs that ``owner`` really works on: one statement, however many there are.

    A run whose row is being written, most often to end it, is left for the next time: whoever ends several in one
    transaction and whoever renews several would wait for each other.
    """
    mine = Run.objects.open().filter(id__in=run_ids, owner=owner)
    free = mine.select_for_update(skip_locked=True, no_key=True)
    Run.objects.filter(id__in=free.values("id")).update(lease_expires_at=lease_end())


def cancels_requested(*, owner: str) -> list[tuple[UUID, str]]:
    """The runs of ``owner`` that somebody asked to stop, with the reason."""
    runs = Run.objects.open().filter(owner=owner).exclude(cancel_requested="")
    return list(runs.values_list("id", "cancel_requested"))


def orphans() -> list[Run]:
    """Open runs whose owner is gone: dead on this machine, or silent until the lease ran out."""
    now = timezone.now()
    leased = Run.objects.filter(status__in=[Run.Status.QUEUED, Run.Status.RUNNING], lease_expires_at__isnull=False)
    expired = leased.filter(lease_expires_at__lt=now)
    held = leased.filter(lease_expires_at__gte=now)
    return [*expired, *(run for run in held if owner_is_dead(run.owner))]
