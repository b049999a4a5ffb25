"""An origin on which nothing waits is claimed before it is asked for something else."""

from __future__ import annotations

from dataclasses import replace

from workers import SITE, Crawls


def test_an_origin_can_be_claimed_on_which_nothing_waits(work: Crawls) -> None:
    one, two = work(), work()
    claimed = one.store.claim(SITE)
    assert claimed is not None
    assert (claimed.key, claimed.given_up) == (SITE, None)
    assert two.store.claim(SITE) is None
    one.store.save_origin(replace(claimed, delay=7.0, ready_at=9e9))
    assert one.store.claim(SITE) == replace(claimed, delay=7.0, ready_at=9e9, continued=True)
    one.store.release(SITE)
    claimed = two.store.claim(SITE)
    assert claimed is not None
    assert (claimed.delay, claimed.ready_at) == (7.0, 9e9)
    two.store.exclude_from_run(SITE, "it fails")
    claimed = one.store.claim(SITE)
    assert claimed is not None
    assert claimed.given_up == "it fails"


def test_an_origin_of_another_realm_cannot_be_claimed_meanwhile(work: Crawls) -> None:
    one, two = work(), work(realm="second")
    claimed = one.store.claim(SITE)
    assert claimed
    assert two.store.claim(SITE) is None
    one.store.save_origin(replace(claimed, ready_at=9e9))
    one.store.release(SITE)
    claimed = two.store.claim(SITE)
    assert claimed
    assert claimed.ready_at == 9e9  # when the origin may be asked does not depend on the realm
    two.store.release(SITE)
    two.seed("/")
    [state] = two.store.lease(1)
    assert state.ready_at == 9e9
