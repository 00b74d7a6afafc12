"""Who may open a page: holders of its permission, superusers among them."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.contrib.auth.views import redirect_to_login
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext as _

from governance.models import Turn

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def requires(*permissions: str) -> Callable[[View[P]], View[P]]:
    """Open a page to holders of all ``permissions`` only; whoever is not logged in is asked to."""

    def decorate(view: View[P]) -> View[P]:
        @wraps(view)
        def guarded(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            if not request.user.is_authenticated:
                return redirect_to_login(request.get_full_path())
            lacking = [name for name in permissions if not request.user.has_perm(name)]
            if lacking:
                return refused(request) if len(lacking) == len(permissions) else lacks(request, lacking[0])
            return view(request, *args, **kwargs)

        return guarded

    return decorate


def refused(request: HttpRequest) -> HttpResponse:
    """403, and how to get in."""
    context = {
        "title": _("This page is for operators"),
        "text": _("Your account may not see the records of this site. Ask an administrator for access."),
    }
    return render(request, "governance/refused.html", context, status=403)


def lacks(request: HttpRequest, permission: str) -> HttpResponse:
    """403 for an operator who may do some of it: which permission is not theirs."""
    words = dict(Turn._meta.permissions).get(permission.removeprefix("governance."), permission)
    text = _("It lacks the permission “%(words)s” (%(permission)s). Ask an administrator for it.")
    context = {
        "title": _("Your account may not do this"),
        "text": text % {"words": words, "permission": permission},
    }
    return render(request, "governance/refused.html", context, status=403)


def missing(request: HttpRequest) -> HttpResponse:
    """404 for a record that is not here."""
    context = {
        "title": _("There is no such record"),
        "text": _("It may have been deleted when its time was up, or the address is wrong."),
    }
    return render(request, "governance/refused.html", context, status=404)


def not_understood(request: HttpRequest, form: Form) -> HttpResponse:
    """400 for a file whose filters say nothing sensible."""
    wrong = [f"{form.fields[name].label}: {' '.join(map(str, texts))}" for name, texts in form.errors.items()]
    context = {"title": _("One of the filters could not be understood"), "text": " ".join(wrong)}
    return render(request, "governance/refused.html", context, status=400)
