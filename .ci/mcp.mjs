// Drives every tool of `kg mcp` with the TypeScript client of the Model Context
// Protocol: node mcp.mjs KG FOLDER, where FOLDER is a repository of this module.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import path from 'node:path';

const [kg, folder] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(createRequire(path.join(process.cwd(), 'x.js')).resolve(name)).href);
const { Client } = await load('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = await load('@modelcontextprotocol/sdk/client/stdio.js');

const client = new Client({ name: 'ci', version: '1' });
await client.connect(new StdioClientTransport({ command: kg, args: ['mcp', '-C', folder] }));
const { tools } = await client.listTools();
const calls = {
  overview: {}, status: {}, changes: { base: 'HEAD' },
  search: { text: 'parse a question', hops: 1, max: 3 },
  pack: { text: 'parse a question', max_tokens: 1000 },
  query: { op: 'callers', target: 'query.Index.Ask', depth: 2, context: 1 },
  symbol: { target: 'query.New' }, callsites: { target: 'query.New' },
  impact: { target: 'query.New', change: 'signature' },
  path: { from: 'main.mainCode', to: 'query.Index.Ask' },
  sql: { statement: 'SELECT count(*) AS n FROM nodes' },
  cypher: { query: "MATCH (a)-[:calls]->(b {name: 'Ask'}) RETURN a.qname LIMIT 3" },
};
let failed = false;
const say = (name, text) => { console.error(`mcp: ${name}: ${text}`); failed = true; };
if (tools.length === 0 || tools.length > 12) say('tools', `${tools.length} of them`);
for (const tool of tools) {
  if (!calls[tool.name]) { say(tool.name, 'is not tested'); continue; }
  // The client checks the structured answer against the tool's schema.
  const res = await client.callTool({ name: tool.name, arguments: calls[tool.name] }, undefined, { timeout: 120000 });
  if (res.isError || !res.structuredContent || !res.content[0].text) say(tool.name, JSON.stringify(res.content).slice(0, 500));
}
for (const name in calls) {
  if (!tools.some((tool) => tool.name === name)) say(name, 'is not served');
}
for (const { uri } of (await client.listResources()).resources) {
  if (!(await client.readResource({ uri })).contents[0].text) say(uri, 'is empty');
}
if ((await client.listPrompts()).prompts.length === 0) say('prompts', 'there are none');
await client.close();
if (failed) process.exit(1);
console.log(`${tools.length} tools answer`);
