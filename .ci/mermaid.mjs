// Parses the Mermaid graphs in files with Mermaid itself: node mermaid.mjs FILE…
// It fails if one is not understood, and if there is none.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import fs from 'node:fs';
import path from 'node:path';

const load = (name) => import(pathToFileURL(createRequire(path.join(process.cwd(), 'x.js')).resolve(name)).href);
const { JSDOM } = (await load('jsdom')).default;
globalThis.window = new JSDOM('').window;
globalThis.document = window.document;
const mermaid = (await import(pathToFileURL(path.join(process.cwd(), 'node_modules/mermaid/dist/mermaid.core.mjs')).href)).default;

let graphs = 0, failed = false;
for (const file of process.argv.slice(2)) {
  for (const [, text] of fs.readFileSync(file, 'utf8').matchAll(/```mermaid\n([\s\S]*?)```/g)) {
    graphs++;
    try {
      await mermaid.parse(text);
    } catch (err) {
      console.error(`mermaid: ${file}: ${err}`);
      failed = true;
    }
  }
}
console.log(`${graphs} graphs`);
process.exit(failed || graphs === 0 ? 1 : 0);
