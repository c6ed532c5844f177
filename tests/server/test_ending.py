import asyncio

from unabridged.server.observability import Watch


def test_a_cancel_is_never_swallowed_wherever_it_comes():
    """`asyncio.wait_for` loses one in a certain moment before Python 3.12: servers never ended."""

    async def asked(turns):
        watch = Watch(None, None)
        watch.enter()

        async def worker():
            while True:
                await watch.idle(60)
                await asyncio.Event().wait()

        task = asyncio.create_task(worker())
        await asyncio.sleep(0)
        watch.leave()
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        done, _ = await asyncio.wait([task], timeout=20)
        if not done:
            task.cancel()
            await asyncio.wait([task])
        return bool(done)

    assert [asyncio.run(asked(turns)) for turns in range(8)] == [True] * 8
