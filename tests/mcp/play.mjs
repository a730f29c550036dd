// Plays an official client of the Model Context Protocol against a server, and prints a line for each case: "ok NAME" or
// "FAIL NAME: why".
//
//   node play.mjs MODULES CLIENT REVISION stdio COMMAND ARGUMENT…
//   node play.mjs MODULES CLIENT REVISION http URL KEY
//
// MODULES is the folder with node_modules. CLIENT is sdk (@modelcontextprotocol/sdk, version 1) or client (@modelcontextprotocol/client,
// version 2). REVISION is what they should agree on.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [modules, generation, revision, kind, ...where] = process.argv.slice(2);
const require = createRequire(pathToFileURL(`${modules}/package.json`));
const load = (name) => import(pathToFileURL(require.resolve(name)));

const isFirst = generation === 'sdk';
const isStateless = revision >= '2026';
const { Client } = await load(isFirst ? '@modelcontextprotocol/sdk/client/index.js' : '@modelcontextprotocol/client');
const { StdioClientTransport } = await load(isFirst ? '@modelcontextprotocol/sdk/client/stdio.js' : '@modelcontextprotocol/client/stdio');
const { StreamableHTTPClientTransport } = await load(isFirst ? '@modelcontextprotocol/sdk/client/streamableHttp.js' : '@modelcontextprotocol/client');

const makeClient = () => new Client({ name: 'paddock-test', version: '1' }, isFirst ? {} : { versionNegotiation: { mode: isStateless ? { pin: revision } : 'legacy' } });
const makeTransport = () => kind === 'stdio'
  ? new StdioClientTransport({ command: where[0], args: where.slice(1), stderr: 'inherit' })
  : new StreamableHTTPClientTransport(new URL(where[0]), { requestInit: { headers: { Authorization: `Bearer ${where[1]}` } } });

const client = makeClient();
const transport = makeTransport();
const called = new Set();
const raw = (name, args, options) => isFirst ? client.callTool({ name, arguments: args }, undefined, options) : client.callTool({ name, arguments: args }, options);
async function call(name, args = {}, options = undefined) {
  called.add(name);
  const result = await raw(name, args, options);
  assert.ok(!result.isError, `${name}: ${result.content[0].text}`);
  assert.equal(result.content[0].type, 'text');
  return result.structuredContent;   // the client has held it against the tool's output schema
}

const cases = [];
const test = (name, run) => cases.push([name, run]);
const state = {};

test('agrees on the revision', async () => {
  await client.connect(transport);
  const agreed = isFirst ? transport.protocolVersion ?? transport._protocolVersion ?? revision : client.getNegotiatedProtocolVersion();
  assert.equal(agreed, revision);
  assert.equal(client.getServerVersion().name, 'paddock');
  assert.match(client.getInstructions(), /sandbox/i);
});
test('lists tools with schemas and hints', async () => {
  const { tools } = await client.listTools();
  state.names = tools.map((tool) => tool.name);
  assert.equal(new Set(state.names).size, 28);
  const exec = tools.find((tool) => tool.name === 'sandbox_exec');
  assert.equal(exec.annotations.openWorldHint, false);
  assert.equal(exec.annotations.readOnlyHint, false);
  assert.equal(exec.outputSchema.type, 'object');
  assert.equal(tools.find((tool) => tool.name === 'sandbox_list').annotations.readOnlyHint, true);
});
test('calls the tools of session storage', async () => {
  await call('write_file', { path: '/notes/a.txt', content: 'one\ntwo\n' });
  assert.match((await call('read_file', { path: '/notes/a.txt' })).content, /two/);
  await call('edit_file', { path: '/notes/a.txt', old_text: 'two', new_text: 'zwei' });
  assert.equal((await call('grep_files', { pattern: 'zwei' })).matches.length, 1);
  assert.ok((await call('list_directory', { path: '/notes' })).entries.length > 0);
  assert.equal((await call('stat_file', { path: '/notes/a.txt' })).type, 'file');
  await call('kv_store', { operation: 'set', key: 'k', value: 'v' });
  assert.equal((await call('kv_store', { operation: 'get', key: 'k' })).value, 'v');
  await call('write_file', { path: '/notes/b.txt', content: 'b' });
  await call('delete_file', { path: '/notes/b.txt' });
  assert.match((await call('bash', { commands: 'cat /workspace/notes/a.txt; x=5' })).stdout, /zwei/);
  assert.match((await call('bash', { commands: 'echo $x' })).stdout, /5/);
});
test('calls the tools of sandboxes', async () => {
  const box = await call('sandbox_create', { name: 'box' });
  const sandbox_id = box.sandbox_id;
  state.box = sandbox_id;
  const done = await call('sandbox_exec', { command: 'echo out; echo err >&2; exit 3', sandbox_id });
  assert.equal(done.exit_code, 3);
  assert.equal(done.stderr, 'err\n');
  await call('sandbox_write_file', { path: '/workspace/f.txt', content: 'alpha\nbeta\n', sandbox_id });
  assert.match((await call('sandbox_read_file', { path: '/workspace/f.txt', sandbox_id })).content, /beta/);
  await call('sandbox_edit_file', { path: '/workspace/f.txt', old_text: 'beta', new_text: 'gamma', sandbox_id });
  assert.equal((await call('sandbox_search', { pattern: 'gamma', sandbox_id })).matches.length, 1);
  assert.ok((await call('sandbox_list_files', { path: '/workspace', sandbox_id })).entries.length > 0);
  await call('sandbox_upload', { session_path: '/notes/a.txt', container_path: '/workspace/up.txt', sandbox_id });
  await call('sandbox_download', { container_path: '/workspace/up.txt', session_path: '/down.txt', sandbox_id });
  assert.equal((await call('sandbox_list')).sandboxes.length, 1);
});
test('calls the tools of processes', async () => {
  const started = await call('sandbox_process_start', { command: 'read line; echo got $line', sandbox_id: state.box });
  const process_id = started.process_id;
  await call('sandbox_process_write', { process_id, input: 'hello\n', end_input: true });
  assert.equal((await call('sandbox_process_wait', { process_id, timeout_ms: 10000 })).exit_code, 0);
  assert.match((await call('sandbox_process_read', { process_id })).output, /got hello/);
  const endless = (await call('sandbox_process_start', { command: 'while :; do :; done', sandbox_id: state.box })).process_id;
  await call('sandbox_process_signal', { process_id: endless, signal: 'KILL' });
  assert.notEqual((await call('sandbox_process_wait', { process_id: endless, timeout_ms: 10000 })).state, 'running');
});
test('calls the tools of snapshots', async () => {
  const sandbox_id = state.box;
  const { snapshot_id } = await call('sandbox_snapshot', { sandbox_id, name: 'before' });
  await call('sandbox_exec', { command: 'rm /workspace/f.txt', sandbox_id });
  for (const from of [snapshot_id, 'before']) {
    const { changes } = await call('sandbox_diff', { sandbox_id, from });
    assert.deepEqual(changes.map((change) => [change.path, change.change]), [['/workspace/f.txt', 'removed']]);
  }
  const { changes } = await call('sandbox_diff', { sandbox_id });
  assert.deepEqual(changes.map((change) => [change.path, change.change]), [['/workspace/up.txt', 'added']]);
  const { forks } = await call('sandbox_fork', { sandbox_id, count: 2 });
  assert.equal(forks.length, 2);
  for (const fork of forks) {
    assert.deepEqual((await call('sandbox_diff', { sandbox_id: fork.sandbox_id })).changes, []);
    assert.match((await call('sandbox_exec', { command: 'cat up.txt', sandbox_id: fork.sandbox_id })).stdout, /zwei/);
    await call('sandbox_manage', { action: 'remove', sandbox_id: fork.sandbox_id, force: true });
  }
});
test('every listed tool was called', async () => {
  assert.deepEqual(state.names.filter((name) => !called.has(name)), []);
});
test('an error of a tool is a result', async () => {
  const refused = await raw('sandbox_read_file', { path: '/none' });
  assert.equal(refused.isError, true);
  assert.match(refused.content[0].text, /none/);
});
test('a tool that is not there is an error of the protocol', async () => {
  await assert.rejects(raw('sandbox_exce', {}), (error) => error.code === -32602 && /sandbox_exec/.test(error.message));
});
test('reads resources', async () => {
  const { resources } = await client.listResources();
  assert.ok(resources.some((resource) => resource.name === '/notes/a.txt'));
  const { resourceTemplates } = await client.listResourceTemplates();
  assert.equal(resourceTemplates.length, 2);
  const read = await client.readResource({ uri: resources.find((resource) => resource.name === '/notes/a.txt').uri });
  assert.match(read.contents[0].text, /zwei/);
  const inside = await client.readResource({ uri: `paddock://sandbox/${state.box}/workspace/up.txt` });
  assert.match(inside.contents[0].text, /zwei/);
  await assert.rejects(client.readResource({ uri: 'paddock://session/none' }), (error) => [isStateless ? -32602 : -32002, isFirst ? 0 : -32602].includes(error.code));   // version 2 translates it
});
test('hears of resources that change', async () => {
  const heard = new Set();
  let wake = () => {};
  const hear = (what) => { heard.add(what); wake(); };
  const until = async (what) => { while (!heard.has(what)) await new Promise((resolve) => { wake = resolve; }); };
  if (isFirst) {
    const { ResourceUpdatedNotificationSchema, ResourceListChangedNotificationSchema } = await load('@modelcontextprotocol/sdk/types.js');
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => hear(params.uri));
    client.setNotificationHandler(ResourceListChangedNotificationSchema, () => hear('list'));
  } else {
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => hear(params.uri));
    client.setNotificationHandler('notifications/resources/list_changed', () => hear('list'));
  }
  const inside = `paddock://sandbox/${state.box}/workspace/watched.txt`, kept = 'paddock://session/notes/a.txt';
  let subscription;
  if (isStateless) {
    subscription = await client.listen({ resourceSubscriptions: [inside, kept], resourcesListChanged: true });
  } else {
    for (const uri of [inside, kept]) await client.subscribeResource({ uri });
    await client.listResources();
  }
  await call('sandbox_exec', { command: 'echo 1 > watched.txt', sandbox_id: state.box });
  await until(inside);
  await call('write_file', { path: '/notes/a.txt', content: 'changed\n' });
  await until(kept);
  await call('write_file', { path: '/notes/new.txt', content: 'x' });
  await until('list');
  if (isStateless) await subscription.close();
  else for (const uri of [inside, kept]) await client.unsubscribeResource({ uri });
});
test('links kept output', async () => {
  const result = await raw('sandbox_exec', { command: 'seq 30000', sandbox_id: state.box });
  const link = result.content.find((block) => block.type === 'resource_link');
  assert.ok((await client.readResource({ uri: link.uri })).contents[0].text.endsWith('\n30000\n'));
});
test('a call that is cancelled ends, and others go on meanwhile', async () => {
  const stop = new AbortController();
  const endless = raw('sandbox_exec', { command: 'while :; do :; done', sandbox_id: state.box }, { signal: stop.signal });
  const gone = assert.rejects(endless);
  await client.listTools();
  if (!isStateless) await client.ping();
  stop.abort('enough');
  await gone;
  // One thing runs in a virtual sandbox at a time: this answers when the other has ended.
  assert.match((await call('sandbox_exec', { command: 'echo free', sandbox_id: state.box })).stdout, /free/);
});
test('ends', async () => {
  await call('sandbox_manage', { action: 'remove', sandbox_id: state.box, force: true });
  await client.close();
});

for (const [name, run] of cases) {
  try {
    await run();
    console.log(`ok ${name}`);
  } catch (error) {
    console.log(`FAIL ${name}: ${String(error?.stack ?? error).replaceAll('\n', ' | ').slice(0, 1500)}`);
  }
}
process.exit(0);
