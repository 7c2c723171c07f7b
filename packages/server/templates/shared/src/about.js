// Who this program is, from package.json.
import { readFileSync } from 'node:fs';

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

export const about = { name: manifest.name, title: manifest.description, version: manifest.version };
