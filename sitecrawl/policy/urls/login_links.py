"""Links that begin or end the session of a user, or act in its name."""

from __future__ import annotations

import re
from functools import cache
from typing import Self

from sitecrawl.policy.decision import OptionValues, RefusalReason
from sitecrawl.policy.urls.url_rules import Target, UrlRule

_WORD_ENDS = r"(?:\.\w{1,5})?(?=$|[/?&;:=])"
# Hyphens are for names that end in one word (my-account/customer-logout), not for sentences.
_END = (
    rf"(?:[/?&=:._-](?:user)?(?:log|sign)(?:out|off)|[/?&=:.](?:log|sign)[-_](?:out|off)"
    rf"|[/?&=:](?:end_?session|abmelden|ausloggen|d[eé]connexion|cerrar[-_]?sesi[oó]n|uitloggen"
    rf"|afmelden|wyloguj|esci)){_WORD_ENDS}"
)
_ACTION = (
    r"[?&](?:_wpnonce|sectok|sesskey|_xftoken|_?csrf[\w-]*|authenticity_token|form_?token"
    r"|logout(?:key|_?hash))="
)
_BEGIN = (
    rf"(?:[/?&=:._-](?:user|wp-)?(?:log|sign)(?:in|on)|[/?&=:.](?:log|sign)[-_](?:in|on)"
    rf"|[/?&=:](?:anmelden|einloggen|connexion|sso|saml2?|oauth2?/auth\w*)){_WORD_ENDS}"
)


@cache  # few crawls need them, and compiling takes 2 ms
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


def leads_to_login(url: str) -> bool:
    """Return True if a URL is called as pages are that ask for a login."""
    return _pattern(_BEGIN).search(url.partition("://")[2]) is not None


class LogoutLinks(UrlRule):
    """Refuse, in the session of a user, what would end it or act in the user's name."""

    reason = RefusalReason(
        "logout",
        "would end the session of the crawl, or acts in its name by a token (`login`, `cookie_file`)",
        options=("login", "cookie_file"),
    )

    @classmethod
    def build(cls, options: OptionValues) -> Self | None:
        """Build the rule for a crawl that has a session."""
        given = next(filter(options.value, cls.reason.options), None)
        return cls(setting=options.setting(given)) if given else None

    def refusal(self, target: Target) -> str:
        """Refuse a URL that is called as logouts are, or has a token of a form."""
        for url in (target.url, target.as_found):
            place = url.partition("://")[2]
            if found := _pattern(f"{_END}|{_ACTION}").search(place):
                return f"{self.setting}: {found[0]!r}"
        return ""
