import httpx2
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from unabridged.domain.scope import Scope
from unabridged.server.state import service_of


async def _hello(request):
    service = service_of(request)
    user = await service.run(Scope(user="ada"), lambda memory: memory.scope.user)
    return PlainTextResponse(user)


def test_a_server_runs_on_a_port_of_its_own_and_ends(serving):
    route = Route("/api/hello", _hello)
    first, second = serving(more=[route], user="ada"), serving(more=[route], user="bob")
    assert first != second
    with httpx2.Client() as client:
        assert client.get(f"{first}/api/hello").text == "ada"
        assert client.get(f"{second}/api/hello").status_code == 200
        assert client.get(f"{second}/nowhere").status_code == 404
    assert first.settings.user == "ada"
