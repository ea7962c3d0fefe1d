"""Drives a platform with LangBot's published Box client; prints "ok NAME" for each case that holds."""

import asyncio
import datetime
import hashlib
import json
import logging
import os
import shlex
import sys

import websockets
from langbot_plugin.artifact import build_tree_manifest
from langbot_plugin.box import errors
from langbot_plugin.box.client import ActionRPCBoxClient
from langbot_plugin.box.models import (
    ARTIFACT_MOUNT_ROOT,
    BoxManagedProcessSpec,
    BoxManagedProcessStatus,
    BoxExecutionStatus,
    BoxMountSpec,
    BoxSpec,
    SandboxAdmissionGrant,
    SandboxAdmissionRevocation,
)
from langbot_plugin.entities.io.actions.enums import CommonAction
from langbot_plugin.entities.io.context import ActionContext
from langbot_plugin.entities.io.errors import ConnectionClosedError
from langbot_plugin.runtime.io.controllers.ws.client import WebSocketClientController
from langbot_plugin.runtime.io.handler import Handler

HOST = os.environ["SANDBOXER_HOST"]
TOKEN = os.environ["LANGBOT_TOKEN"]
SHARED = os.environ["LANGBOT_SHARED"]
WEB = os.environ["LANGBOT_WEB"]
INSTANCE = "inst-" + os.urandom(4).hex()
CONFIG = {"local": {"profile": "default", "default_workspace": SHARED}, "limits": {"max_sessions": 8}}


class Connection:
    """As LangBot's own connector makes it."""

    def __init__(self):
        self.client = ActionRPCBoxClient(logging.getLogger("langbot"))
        self.connected = asyncio.Event()
        self.failure = None

    async def open(self):
        controller = WebSocketClientController(
            f"ws://{HOST}/rpc/ws",
            self._failed,
            {"X-LangBot-Instance-Id": INSTANCE, "X-LangBot-Box-Control-Token": TOKEN},
        )
        self.task = asyncio.create_task(controller.run(self._made))
        await asyncio.wait_for(self.connected.wait(), 30)
        if self.failure:
            raise self.failure
        return self

    async def _made(self, connection):
        self.handler = Handler(connection)
        self.client.set_handler(self.handler)
        running = asyncio.create_task(self.handler.run())
        await self.handler.call_action(CommonAction.PING, {})
        self.connected.set()
        await running

    async def _failed(self, controller, failure):
        self.failure = failure
        self.connected.set()

    async def close(self):
        await self.handler.conn.close()
        await self.task


def context(workspace, generation=1):
    return ActionContext(instance_uuid=INSTANCE, workspace_uuid=workspace, placement_generation=generation)


async def raises(kind, call):
    try:
        await call
    except errors.BoxError as failure:
        assert type(failure) is kind, f"{type(failure).__name__}, not {kind.__name__}: {failure}"
        return str(failure)
    raise AssertionError(f"no {kind.__name__}")


async def health(c):
    await c.initialize()
    info = await c.get_backend_info()
    assert info["available"] and info["name"] == "nsjail", info
    assert (await c.get_status(context("w-health")))["active_sessions"] == 0


async def commands(c):
    ctx = context("w-exec")
    done = await c.execute(BoxSpec(session_id="chat", cmd="echo out; echo err >&2; exit 3", env={"A": "b"}), ctx)
    assert (done.status, done.exit_code, done.stdout, done.stderr) == (
        BoxExecutionStatus.COMPLETED, 3, "out\n", "err\n"), done
    assert (done.session_id, done.backend_name) == ("chat", "nsjail")
    assert (await c.execute(BoxSpec(session_id="chat", cmd="echo $A-$PWD", env={"A": "b"}), ctx)).stdout == "b-/workspace\n"
    await raises(errors.BoxValidationError, c.execute(BoxSpec(session_id="chat", cmd=" "), ctx))
    long = await c.execute(BoxSpec(session_id="chat", cmd=f"echo {'x' * 100_000} | wc -c"), ctx)
    assert long.stdout.strip() == "100001", long
    killed = await c.execute(BoxSpec(session_id="chat", cmd="kill -9 $$"), ctx)
    assert killed.exit_code == 137, killed


async def timeout_leaves_the_box(c):
    ctx = context("w-timeout")
    spec = dict(session_id="chat")
    assert (await c.execute(BoxSpec(cmd="echo kept > note", **spec), ctx)).ok
    await c.start_managed_process("chat", BoxManagedProcessSpec(command="sleep", args=["600"]), ctx)
    late = await c.execute(BoxSpec(cmd="echo begun; sleep 100", timeout_sec=1, **spec), ctx)
    assert (late.status, late.exit_code, late.stdout) == (BoxExecutionStatus.TIMED_OUT, None, "begun\n"), late
    assert (await c.execute(BoxSpec(cmd="cat note", **spec), ctx)).stdout == "kept\n"
    assert (await c.get_managed_process("chat", action_context=ctx)).status is BoxManagedProcessStatus.RUNNING


async def output_is_clipped_and_said_so(c):
    ctx = context("w-exec")
    done = await c.execute(BoxSpec(session_id="chat", cmd="yes | head -c 3000000"), ctx)
    assert done.exit_code == 0 and done.stdout.startswith("y\ny\n")
    assert done.stdout.endswith("[output clipped: only the first 1048576 bytes were kept]\n"), done.stdout[-80:]


async def sessions(c):
    ctx, other = context("w-sessions"), context("w-sessions-2")
    made = await c.create_session(BoxSpec(session_id="group_1", network="on", memory_mb=256, persistent=True), ctx)
    assert (made["session_id"], made["memory_mb"], made["persistent"], made["network"]) == ("group_1", 256, True, "on"), made
    assert (await c.get_session("group_1", ctx))["backend_session_id"] == made["backend_session_id"]
    assert [s["session_id"] for s in await c.get_sessions(ctx)] == ["group_1"]
    assert await c.get_sessions(other) == []
    await raises(errors.BoxSessionNotFoundError, c.get_session("group_1", other))
    said = await raises(errors.BoxSessionConflictError, c.create_session(
        BoxSpec(session_id="group_1", network="on", memory_mb=512, persistent=True), ctx))
    assert "memory_mb=256" in said, said
    await c.delete_session("group_1", ctx)
    await raises(errors.BoxSessionNotFoundError, c.delete_session("group_1", ctx))
    assert await c.get_sessions(ctx) == []


FETCH = """
import sys, urllib.error, urllib.request
for url in sys.argv[1:]:
    try:
        print(urllib.request.urlopen(url, timeout=30).read().decode())
    except urllib.error.HTTPError as e:
        print(e.code, e.read().decode())
    except OSError as e:
        print("unreachable")
"""


def fetch(*urls):
    return f"python3 -c {shlex.quote(FETCH)} {' '.join(urls)}"


async def a_network_is_what_was_asked_for(c):
    ctx = context("w-network")
    on, off = dict(session_id="on", network="on"), dict(session_id="off", network="off")
    port = HOST.split(":")[1]
    assert (await c.create_session(BoxSpec(**on), ctx))["network"] == "on"
    done = await c.execute(BoxSpec(cmd=fetch("http://web.example/on", f"http://web.example:{port}/"), **on), ctx)
    assert done.stdout.startswith("hello from the web\n403 "), done
    assert f"network.mode public allows the ports 80 and 443, not {port}" in done.stdout, done
    assert (await c.create_session(BoxSpec(**off), ctx))["network"] == "off"
    done = await c.execute(BoxSpec(cmd=fetch("http://web.example/off", f"http://{WEB}/off", "http://127.0.0.1:3128/off"), **off), ctx)
    assert done.stdout == "unreachable\n" * 3, done
    assert (await c.execute(BoxSpec(cmd="env | grep -ci proxy", **off), ctx)).stdout == "0\n"
    for spec, change in ((on, "network=on (requested: off);"), (off, "network=off (requested: on);")):
        other = spec | {"network": "off" if spec["network"] == "on" else "on"}
        said = await raises(errors.BoxSessionConflictError, c.execute(BoxSpec(cmd="true", **other), ctx))
        assert f"already exists with {change}" in said, said
    assert {s["session_id"]: s["network"] for s in await c.get_sessions(ctx)} == {"on": "on", "off": "off"}
    await c.init({"local": {"profile": "network_basic"}})
    done = await c.execute(BoxSpec(session_id="basic", network="on", cmd=fetch("http://web.example/basic")), ctx)
    assert done.stdout == "hello from the web\n", done
    await c.init({"local": {"profile": "network_extended"}})
    assert (await c.create_session(BoxSpec(session_id="extended", network="on"), ctx))["network"] == "on"
    assert (await c.create_session(BoxSpec(session_id="none"), ctx))["network"] == "off"
    await c.init({"local": {"profile": "fixed"}})
    assert (await c.create_session(BoxSpec(session_id="fixed", network="on"), ctx))["network"] == "on"
    done = await c.execute(BoxSpec(session_id="fixed", network="on", cmd=fetch("http://web.example/fixed", "http://other.example/")), ctx)
    assert done.stdout.startswith("hello from the web\n403 "), done
    said = await raises(errors.BoxValidationError, c.create_session(BoxSpec(session_id="s"), ctx))
    assert "network 'off' cannot be had" in said, said
    await c.init(CONFIG)
    for session in ("on", "off", "basic", "extended", "none", "fixed"):
        await c.delete_session(session, ctx)


async def ids_never_meet(c):
    ctx = context("w-ids")
    ids = ["a/b", "a b", "a-b", "a%2Fb", "群组/1", "x" * 100]
    boxes = [await c.create_session(BoxSpec(session_id=i), ctx) for i in ids]
    assert len({box["backend_session_id"] for box in boxes}) == len(ids)
    assert sorted(s["session_id"] for s in await c.get_sessions(ctx)) == sorted(ids)
    for i in ids:
        await c.delete_session(i, ctx)


async def what_cannot_be_had_is_refused(c):
    ctx = context("w-refused")
    for wrong in (
        dict(read_only_rootfs=False),
        dict(image="alpine:3"),
        dict(host_path="/etc", mount_path="/data", workdir="/data"),
        dict(extra_mounts=[BoxMountSpec(host_path="/", mount_path="/host")]),
        dict(extra_mounts=[BoxMountSpec(host_path="/var/run/docker.sock", mount_path="/d.sock")]),
        dict(workdir="/workspace", cpus=0.0001),
    ):
        await raises(errors.BoxValidationError, c.create_session(BoxSpec(session_id="s", **wrong), ctx))
    spec = BoxSpec(session_id="s").model_dump(mode="json")
    await raises(errors.BoxValidationError, c.create_session(Raw(spec | {"skill_name": "x"}), ctx))
    for profile in ("offline", "offline_readonly"):
        await c.init({"local": {"profile": profile}})
        said = await raises(errors.BoxValidationError, c.create_session(BoxSpec(session_id="s", network="on"), ctx))
        assert f"network 'on' cannot be had: profile '{profile}' never has a network" in said, said
    await raises(errors.BoxValidationError, c.init({"backend": "host"}))
    await c.init(CONFIG)
    assert await c.get_sessions(ctx) == []


class Raw:
    """A spec that the client's own model would not let through."""

    def __init__(self, fields):
        self.fields = fields

    def model_dump(self, mode):
        return self.fields


async def mounts(c):
    ctx = context("w-mounts")
    await c.init({"local": {"profile": "chat"}})
    skill = BoxMountSpec(host_path=f"{SHARED}/skill", mount_path="/workspace/.skills/greet", mode="ro")
    spec = dict(session_id="s", extra_mounts=[skill], host_path=f"{SHARED}/data", mount_path="/data", workdir="/data")
    done = await c.execute(BoxSpec(cmd="cat /workspace/.skills/greet/hello; echo w > made && cat made", **spec), ctx)
    assert done.stdout == "hello from a skill\nw\n", done
    assert open(f"{SHARED}/data/made").read() == "w\n"
    refused = await c.execute(BoxSpec(cmd="echo x > /workspace/.skills/greet/hello", **spec), ctx)
    assert refused.exit_code != 0
    fewer = await c.execute(BoxSpec(cmd="cat made", **(spec | {"extra_mounts": []})), ctx)
    assert fewer.stdout == "w\n"
    await c.delete_session("s", ctx)
    await c.init(CONFIG)


async def a_workspace_of_the_host(c):
    ctx = context("w-workspace")
    await c.init({"local": {"profile": "chat"}})
    skill = BoxMountSpec(host_path=f"{SHARED}/skill", mount_path="/workspace/.skills/greet", mode="ro")
    spec = dict(session_id="s", extra_mounts=[skill], host_path=f"{SHARED}/data")
    done = await c.execute(BoxSpec(cmd="pwd; cat .skills/greet/hello; echo w > own && cat own", **spec), ctx)
    assert done.stdout == "/workspace\nhello from a skill\nw\n", done
    assert open(f"{SHARED}/data/own").read() == "w\n"
    info = await c.get_session("s", ctx)
    assert (info["host_path"], info["mount_path"], info["host_path_mode"]) == (f"{SHARED}/data", "/workspace", "rw"), info
    await c.delete_session("s", ctx)
    os.chmod(f"{SHARED}/data", 0o755)
    read_only = spec | {"host_path_mode": "ro"}
    done = await c.execute(BoxSpec(cmd="cat own .skills/greet/hello; echo x > new", **read_only), ctx)
    assert done.stdout == "w\nhello from a skill\n" and "Read-only" in done.stderr, done
    await c.delete_session("s", ctx)
    os.chmod(f"{SHARED}/data", 0o777)
    await raises(errors.BoxValidationError, c.create_session(BoxSpec(workspace_quota_mb=9, **spec), ctx))
    await c.init(CONFIG)


async def artefacts(c):
    ctx = context("w-artefacts")
    await c.init({"local": {"profile": "chat"}})
    digest, manifest = build_tree_manifest(f"{SHARED}/skill", max_files=9, max_total_bytes=999)
    path = f"{SHARED}/manifest.json"
    os.mkdir(f"{SHARED}/empty")
    with open(path, "w") as file:
        json.dump(manifest, file, indent=1)
    place = f"{ARTIFACT_MOUNT_ROOT}/{digest[7:]}"

    def spec(**changed):
        fields = dict(host_path=f"{SHARED}/skill", mount_path=place, mode="ro", content_digest=digest, manifest_path=path)
        return BoxSpec(session_id="s", cmd=f"cat {place}/hello", extra_mounts=[BoxMountSpec(**(fields | changed))])

    assert (await c.execute(spec(), ctx)).stdout == "hello from a skill\n"
    await c.delete_session("s", ctx)
    said = await raises(errors.BoxValidationError, c.create_session(spec(host_path=f"{SHARED}/empty"), ctx))
    assert f"wanted {digest}, found sha256:" in said, said
    other = digest[:-1] + ("0" if digest[-1] != "0" else "1")
    wrong = spec(content_digest=other, mount_path=f"{ARTIFACT_MOUNT_ROOT}/{other[7:]}")
    said = await raises(errors.BoxValidationError, c.create_session(wrong, ctx))
    assert f"does not match content_digest: wanted {other}, found {digest}" in said, said
    for text in ("", "{}", json.dumps(manifest | {"total_bytes": 1}), json.dumps(manifest | {"files": [{"path": "x"}]})):
        with open(path, "w") as file:
            file.write(text)
        await raises(errors.BoxValidationError, c.create_session(spec(), ctx))
    os.remove(path)
    await raises(errors.BoxValidationError, c.create_session(spec(), ctx))
    await c.init(CONFIG)


async def twenty_at_once(c):
    ctx = context("w-many")
    done = await asyncio.gather(*(
        c.execute(BoxSpec(session_id="chat", cmd=f"sleep 0.{20 - i:02}; echo {i}"), ctx) for i in range(20)))
    assert [one.stdout for one in done] == [f"{i}\n" for i in range(20)]
    assert len(await c.get_sessions(ctx)) == 1


async def managed_processes(c):
    ctx = context("w-processes")
    await c.create_session(BoxSpec(session_id="mcp/1"), ctx)
    spec = BoxManagedProcessSpec(process_id="服务.1", command="sh", args=["-c", "echo oops >&2; exec cat"], env={"TOKEN": "t"})
    started = await c.start_managed_process("mcp/1", spec, ctx)
    assert started.status is BoxManagedProcessStatus.RUNNING and started.env_keys == ["TOKEN"], started
    assert (started.command, started.args, started.process_id) == ("sh", spec.args, "服务.1")
    again = await c.start_managed_process("mcp/1", spec, ctx)
    assert again.started_at > started.started_at
    await c.start_managed_process("mcp/1", BoxManagedProcessSpec(command="sh", args=["-c", "exit 4"]), ctx)
    ended = await until(lambda: c.get_managed_process("mcp/1", action_context=ctx),
                        lambda p: p.status is BoxManagedProcessStatus.EXITED)
    assert ended.exit_code == 4 and ended.exited_at is not None
    shown = await until(lambda: c.get_managed_process("mcp/1", "服务.1", ctx), lambda p: p.stderr_preview)
    assert shown.stderr_preview == "oops\n"
    session = await c.get_session("mcp/1", ctx)
    assert sorted(session["managed_processes"]) == ["default", "服务.1"]
    assert (await c.get_sessions(ctx))[0]["managed_process_count"] == 1
    assert (await c.get_status(ctx))["managed_processes"] == 1
    await c.stop_managed_process("mcp/1", "服务.1", ctx)
    await raises(errors.BoxManagedProcessNotFoundError, c.get_managed_process("mcp/1", "服务.1", ctx))
    await raises(errors.BoxManagedProcessNotFoundError, c.stop_managed_process("mcp/1", "none", ctx))
    await raises(errors.BoxSessionNotFoundError, c.get_managed_process("none", action_context=ctx))
    await raises(errors.BoxValidationError, c.start_managed_process("mcp/1", BoxManagedProcessSpec(command="/no/such"), ctx))
    await raises(errors.BoxValidationError, c.start_managed_process(
        "mcp/1", BoxManagedProcessSpec(command="true", memory_mb=64), ctx))


async def until(look, enough):
    for _ in range(200):
        seen = await look()
        if enough(seen):
            return seen
        await asyncio.sleep(0.05)
    raise AssertionError(seen)


def attach(c, session, ctx, process="default", **changed):
    headers = {
        "X-LangBot-Instance-Id": INSTANCE,
        "X-LangBot-Box-Control-Token": TOKEN,
        "X-LangBot-Workspace-Id": ctx.workspace_uuid,
        "X-LangBot-Placement-Generation": str(ctx.placement_generation),
    } | changed
    url = c.get_managed_process_websocket_url(session, f"http://{HOST}", process, ctx)
    return websockets.connect(url, additional_headers=headers, subprotocols=["mcp"], proxy=None, max_size=None, open_timeout=60)


async def attach_fails(connecting, status, said):
    try:
        async with connecting:
            raise AssertionError("attached")
    except websockets.exceptions.InvalidStatus as refused:
        assert refused.response.status_code == status, refused.response
        assert said in refused.response.body.decode(), refused.response.body


async def attached_once(c):
    ctx = context("w-attach")
    await c.create_session(BoxSpec(session_id="s"), ctx)
    await c.start_managed_process("s", BoxManagedProcessSpec(command="cat"), ctx)
    async with attach(c, "s", ctx) as one:
        assert one.subprotocol == "mcp"
        await one.send("ping")
        assert await one.recv() == "ping\n"
        assert (await c.get_managed_process("s", action_context=ctx)).attached
        await attach_fails(attach(c, "s", ctx), 400, "BoxManagedProcessConflictError")
        long = "ä" * 300_000
        await one.send(long)
        got = ""
        while not got.endswith("\n"):
            got += await one.recv()
        assert got == long + "\n"
    async with attach(c, "s", ctx) as two:
        await two.send("again")
        assert await two.recv() == "again\n", "nothing of before comes twice"
    await attach_fails(attach(c, "none", ctx), 400, "BoxSessionNotFoundError")
    await attach_fails(attach(c, "s", ctx, "none"), 400, "BoxManagedProcessNotFoundError")
    await attach_fails(attach(c, "s", ctx, **{"X-LangBot-Box-Control-Token": "x" * 32}), 401, "Unauthorized")
    await attach_fails(attach(c, "s", ctx, **{"X-LangBot-Workspace-Id": ""}), 401, "Unauthorized")


async def characters_are_never_cut(c):
    ctx = context("w-attach")
    program = "printf '\\344\\270'; sleep 0.3; printf '\\226'; sleep 0.3; printf '\\347\\225\\214!'; exec cat"
    await c.start_managed_process("s", BoxManagedProcessSpec(process_id="u", command="sh", args=["-c", program]), ctx)
    async with attach(c, "s", ctx, "u") as one:
        got = ""
        while not got.endswith("!"):
            got += await one.recv()
        assert got == "世界!", got


async def ids_that_look_alike_in_a_path_are_told_apart(c):
    ctx = context("w-alike")
    for session in ("a/b", "a b"):
        await c.create_session(BoxSpec(session_id=session), ctx)
    await c.start_managed_process("a/b", BoxManagedProcessSpec(process_id="p", command="cat"), ctx)
    async with attach(c, "a/b", ctx, "p") as one:
        await one.send("x")
        assert await one.recv() == "x\n"
    await c.start_managed_process("a b", BoxManagedProcessSpec(process_id="p", command="cat"), ctx)
    await attach_fails(attach(c, "a/b", ctx, "p"), 400, "several sessions")
    await c.create_session(BoxSpec(session_id="a-b"), ctx)
    await attach_fails(attach(c, "a-b", ctx, "p"), 400, "BoxManagedProcessNotFoundError")


async def a_process_that_ends_closes(c):
    ctx = context("w-attach")
    await c.start_managed_process("s", BoxManagedProcessSpec(process_id="e", command="sh", args=["-c", "read l; echo got $l"]), ctx)
    async with attach(c, "s", ctx, "e") as one:
        await one.send("it")
        assert [m async for m in one] == ["got it\n"]
        assert one.close_code == 1000
    await attach_fails(attach(c, "s", ctx, "e"), 400, "BoxManagedProcessConflictError")


async def grants(c):
    ctx = context("w-grants")

    def grant(revision, most=1, processes=1, seconds=300, generation=1):
        until = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)
        return c.upsert_sandbox_admission_grant(SandboxAdmissionGrant(
            instance_uuid=INSTANCE, workspace_uuid="w-grants", execution_generation=generation, entitlement_revision=revision,
            expires_at=until, max_sessions=most, max_managed_processes=processes))

    assert (await grant(5))["installed"]
    assert (await grant(5))["entitlement_revision"] == 5
    await raises(errors.BoxAdmissionError, grant(4))
    await raises(errors.BoxAdmissionError, grant(5, most=2))
    await raises(errors.BoxAdmissionError, grant(6, seconds=-10))
    made = await asyncio.gather(*(c.create_session(BoxSpec(session_id=f"s{i}"), ctx) for i in range(5)), return_exceptions=True)
    refused = [one for one in made if isinstance(one, errors.BoxAdmissionError)]
    assert len(refused) == 4, made
    name = (await c.get_sessions(ctx))[0]["session_id"]
    assert (await c.get_status(ctx))["capacity"] == {"limit": 1, "used": 1, "remaining": 0}
    started = await asyncio.gather(*(
        c.start_managed_process(name, BoxManagedProcessSpec(process_id=f"p{i}", command="sleep", args=["600"]), ctx)
        for i in range(4)), return_exceptions=True)
    assert len([one for one in started if isinstance(one, errors.BoxAdmissionError)]) == 3, started
    running = next(one.process_id for one in started if not isinstance(one, Exception))
    await c.stop_managed_process(name, running, ctx)
    short = BoxManagedProcessSpec(process_id="short", command="true")
    await c.start_managed_process(name, short, ctx)
    await until(lambda: c.get_managed_process(name, "short", ctx), lambda p: p.status is BoxManagedProcessStatus.EXITED)
    await c.start_managed_process(name, BoxManagedProcessSpec(process_id="next", command="sleep", args=["600"]), ctx)
    await c.revoke_sandbox_admission_grant(SandboxAdmissionRevocation(
        instance_uuid=INSTANCE, workspace_uuid="w-grants", entitlement_revision=7))
    assert await c.get_sessions(ctx) == []
    await raises(errors.BoxAdmissionError, c.create_session(BoxSpec(session_id="s"), ctx))
    await raises(errors.BoxAdmissionError, grant(7))
    assert (await grant(8, most=0, processes=0))["max_sessions"] == 0
    await raises(errors.BoxAdmissionError, c.create_session(BoxSpec(session_id="s"), ctx))
    await c.init(CONFIG | {"admission": {"required": True}})
    await raises(errors.BoxAdmissionError, c.create_session(BoxSpec(session_id="s"), context("w-none")))


async def stale_generation(c):
    await c.execute(BoxSpec(session_id="s", cmd="echo one > note"), context("w-moved", 1))
    after = await c.execute(BoxSpec(session_id="s", cmd="cat note"), context("w-moved", 2))
    assert after.stdout == "one\n", after
    said = await raises(errors.BoxAdmissionError, c.execute(BoxSpec(session_id="s", cmd="true"), context("w-moved", 1)))
    assert "stale" in said
    await attach_fails(attach(c, "s", context("w-moved", 1)), 400, "stale")


async def shared_folder(c):
    marker = ".langbot-box-volume-probe-" + "0a" * 16
    with open(f"{SHARED}/{marker}", "wb") as file:
        file.write(b"both see this")
    seen = await c.verify_shared_workspace(marker)
    assert seen["sha256"] == hashlib.sha256(b"both see this").hexdigest(), seen
    await raises(errors.BoxReadinessError, c.verify_shared_workspace("../etc/passwd"))
    os.remove(f"{SHARED}/{marker}")
    os.symlink("/etc/passwd", f"{SHARED}/{marker}")
    await raises(errors.BoxReadinessError, c.verify_shared_workspace(marker))


async def storage(c):
    ctx = context("w-storage")
    await c.execute(BoxSpec(session_id="s", cmd="head -c 5000000 /dev/zero > big"), ctx)
    seen = await c.get_storage_analysis(ctx)
    assert seen["size_bytes"] >= 5_000_000 and seen["active_sessions"] == 1, seen
    assert [one["key"] for one in seen["directories"]] == ["session_workspaces"]


async def a_lost_connection_ends_commands_alone(c):
    ctx = context("w-lost")
    other = await Connection().open()
    await other.client.create_session(BoxSpec(session_id="s"), ctx)
    waiting = asyncio.create_task(other.client.execute(
        BoxSpec(session_id="s", cmd="echo $$ > pid; sleep 100", timeout_sec=100), ctx))
    await until(lambda: c.execute(BoxSpec(session_id="s", cmd="cat pid"), ctx), lambda done: done.exit_code == 0)
    await other.close()
    try:
        await waiting
        raise AssertionError("the call went on")
    except (errors.BoxError, ConnectionClosedError):
        pass
    await until(lambda: c.execute(BoxSpec(session_id="s", cmd="kill -0 $(cat pid)"), ctx), lambda done: done.exit_code != 0)
    again = await Connection().open()
    assert (await again.client.execute(BoxSpec(session_id="s", cmd="test -s pid && echo same"), ctx)).stdout == "same\n"
    await again.close()


async def shutdown(c):
    await c.shutdown()
    again = await Connection().open()
    assert await again.client.get_sessions(context("w-exec")) == []
    await again.close()


CASES = [
    health, commands, timeout_leaves_the_box, output_is_clipped_and_said_so, sessions, a_network_is_what_was_asked_for, ids_never_meet,
    what_cannot_be_had_is_refused, mounts, a_workspace_of_the_host, artefacts, twenty_at_once, managed_processes, attached_once, characters_are_never_cut,
    ids_that_look_alike_in_a_path_are_told_apart, a_process_that_ends_closes, stale_generation, shared_folder, storage, a_lost_connection_ends_commands_alone,
    grants, shutdown,
]


async def main():
    connection = await Connection().open()
    await connection.client.init(CONFIG)
    wanted = sys.argv[1:]
    failed = 0
    for case in CASES:
        if wanted and case.__name__ not in wanted:
            continue
        try:
            await asyncio.wait_for(case(connection.client), 120)
            print("ok", case.__name__, flush=True)
        except Exception as failure:
            failed += 1
            import traceback
            traceback.print_exc(file=sys.stdout)
            print("FAILED", case.__name__, type(failure).__name__, failure, flush=True)
    sys.exit(1 if failed else 0)


asyncio.run(main())
