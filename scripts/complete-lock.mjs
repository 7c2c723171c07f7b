// Completes package-lock.json after `npm install`: a registry that lacks some platform's binary makes npm leave it out of the lock file,
// and `npm ci` then refuses the lock. Such entries carry the version and the platform alone, so that other platforms skip them.
import { readFileSync, writeFileSync } from 'node:fs';

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8'));
const systems = ['darwin', 'linux', 'win32', 'android', 'freebsd', 'openharmony'];
const processors = ['arm64', 'x64', 'ia32', 'ppc64', 'riscv64', 's390x', 'arm'];

const platformOf = (name) => {
  const os = systems.find((item) => name.includes(item));
  const cpu = processors.find((item) => name.includes(item));
  const libc = os === 'linux' ? (name.includes('musl') ? 'musl' : name.includes('gnu') ? 'glibc' : undefined) : undefined;
  return os && cpu ? { os: [os], cpu: [cpu], ...(libc ? { libc: [libc] } : {}) } : undefined;
};

let added = 0;
for (const entry of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const path = `node_modules/${name}`;
    const platform = platformOf(name);
    if (lock.packages[path] || !platform || !/^\d/.test(version)) continue;
    lock.packages[path] = { version, ...platform, optional: true, ...(entry.dev ? { dev: true } : {}) };
    added += 1;
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added} platform packages added to the lock file`);
