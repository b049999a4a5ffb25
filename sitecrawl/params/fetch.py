"""Options of fetching: who we say we are, how gently we ask, and what we put up with."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sitecrawl.params.base import ByteSize, Duration, OptionGroup, Words
from sitecrawl.params.headers import (
    Agent,
    Credentials,
    Email,
    Headers,
    HeaderText,
    OriginHeaders,
    Origins,
)


class FetchParams(OptionGroup):
    """What a request carries, its pace, its limits, and how failures are borne."""

    user_agent: Agent = Field(
        "", description="User-Agent to send instead of sitecrawl's name and version."
    )
    contact: HeaderText = Field(
        "",
        description="Web page or mail address of whoever runs the crawl, named in the User-Agent.",
    )
    from_email: Email = Field("", description="Mail address to send as From header; none if empty.")
    referer: Literal["always", "first", "never"] = Field(
        "first",
        description="Whether requests name the page that links to them: always, only while the "
        "URL was not fetched before, or never.",
    )
    accept: Words = Field((), description="MIME types to accept beside those of pages.")
    head_first: bool = Field(
        default=False,
        description="Whether a new URL without file extension is asked for with HEAD before it is "
        "fetched; without it, an unwanted body is cut off after its headers.",
    )
    accept_language: HeaderText = Field(
        "", description="Accept-Language header to send; none if empty."
    )
    headers: Headers = Field(
        default_factory=dict,
        description="Further headers. They are sent to the origins of the starts, and of where a "
        "start redirects within its registered domain, but not from https to http; to no other.",
    )
    origin_headers: OriginHeaders = Field(
        default_factory=dict,
        description="Further headers by origin; sent to that origin and to no other.",
    )
    auth: Credentials = Field(
        default_factory=dict,
        description="User and password by origin; sent to that origin and to no other.",
    )
    cookies: bool = Field(
        default=True, description="Whether cookies are kept and sent back to their site."
    )

    delay: Duration = Field(
        1.0,
        le=86400,
        description="Pause after each answer of an origin; a Crawl-delay takes its place.",
    )
    politeness: int = Field(
        2,
        ge=0,
        le=10,
        description="The pause is at least the last response time x 2^politeness at first; the "
        "exponent falls to 0 while all goes well. A 429 doubles the pause, and good answers lower it "
        "step by step.",
    )
    requests_per_origin: int = Field(
        1, ge=1, le=16, description="Most requests in flight to one origin at a time."
    )
    pace_by: Literal["origin", "address"] = Field(
        "origin", description="Whether the pause is kept by each origin, or by each address."
    )
    max_wait: Duration = Field(
        600.0,
        description="An origin or a page that asks to be left alone for longer is left for a later "
        "run.",
    )
    patience: int = Field(
        5,
        ge=1,
        le=1000,
        description="How many URLs may fail lastingly before their origin is given up for the run.",
    )
    retries: int = Field(
        2,
        ge=0,
        le=10,
        description="How often a page is tried again within the run after a failure that may pass "
        "(500, 502, 503, 504, 522, 524, 408, a lost connection, no answer in time): last of its "
        "origin, after a pause that doubles.",
    )
    max_redirects: int = Field(10, ge=0, le=100, description="Longest chain of redirects.")
    max_pages: int = Field(0, ge=0, description="Requests after which the run ends; 0 for no end.")

    obey_robots: bool = Field(
        default=True, description="Whether robots.txt is asked for and obeyed."
    )
    robots_lifetime: Duration = Field(
        1800.0, gt=0, le=86400, description="Age at which robots.txt is asked for again."
    )
    robots_case_insensitive: bool = Field(
        default=False,
        description="Whether Disallow lines match paths in upper and lower case alike.",
    )

    timeout: Duration = Field(
        10.0, gt=0, le=3600, description="Longest silence of a server, connecting included."
    )
    max_time: Duration = Field(
        120.0, gt=0, le=86400, description="Longest time that one request may take in all."
    )
    min_rate: ByteSize = Field(
        512, description="Bytes a second below which a server counts as silent; 0 for any rate."
    )
    max_body_size: ByteSize = Field(
        10_000_000, ge=1, description="Largest body, as sent and as decompressed."
    )
    max_header_size: ByteSize = Field(
        65_536, ge=1024, description="Largest status line and headers of an answer together."
    )
    allow_private: bool = Field(
        default=False,
        description="Whether addresses that are not public may be asked. Without it, a start "
        "with such an address opens that address alone.",
    )
    verify_tls: bool = Field(
        default=True, description="Whether the certificates of servers are verified."
    )
    unverified_origins: Origins = Field(
        (), description="Origins whose certificates are not verified."
    )
