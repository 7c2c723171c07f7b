// @long: tries an engine by itself, which the tests of modules use, too
/** Packages of real images in a real registry: every kind, through layers that hide and replace files, and for several platforms. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { BaseImage, baseRepository } from '@slipway/runtime/builder/base-image.ts';
import { digestFolder, sha256 } from '../oci/digest.ts';
import { ImageStore } from '../oci/image-store.ts';
import type { LayerSource } from '../oci/layer-writer.ts';
import { OciClient } from '../oci/oci-client.ts';
import { startRegistry, type RegistryFixture } from '@slipway/registry/registry.fixture.ts';
import type { ScanReport } from '@slipway/foundation/ports/scanner.ts';
import { npmFiles, pushFiles, pushIndex, pushLayers, type LayerFiles } from '../pushed-image.fixture.ts';
import { EmbeddedScanner, type EmbeddedScannerOptions } from './embedded-scanner.ts';
import { elfProgram, goModules, goProgram } from './go-program.fixture.ts';

const repository = 'shop/hello';
const host = `linux/${process.arch === 'x64' ? 'amd64' : process.arch}`;
let fixture: RegistryFixture;
let client: OciClient;
let directory: string;
beforeAll(async () => {
  fixture = await startRegistry();
  await fixture.registry.projectEnsure('shop', 'tests');
  client = new OciClient({ baseUrl: fixture.registry.baseUrl, authorize: (name, actions) => fixture.registry.accessToken(name, actions) });
  directory = await mkdtemp(join(tmpdir(), 'slipway-scan-'));
});
afterAll(async () => {
  await fixture.stop();
  await rm(directory, { recursive: true });
});

const scan = async (digest: string, limits: EmbeddedScannerOptions['limits'] = {}): Promise<ScanReport> => {
  const report = await new EmbeddedScanner({ directory, client, version: '1', limits }).scan(
    { repository, digest },
    new AbortController().signal,
  );
  // The scan removed its files.
  expect(await readdir(directory)).toEqual([]);
  return report;
};
const versions = ({ packages }: ScanReport): Record<string, string> =>
  Object.fromEntries((packages ?? []).map(({ ecosystem, name, version }) => [`${ecosystem} ${name}`, version]));
const codes = ({ notes }: ScanReport): string[] => notes.map(({ code }) => code);

const debian = {
  'etc/os-release': 'PRETTY_NAME="Debian GNU/Linux 12"\nID=debian\nVERSION_ID="12"\n',
  'var/lib/dpkg/status': [
    'Package: libssl3\nStatus: install ok installed\nArchitecture: amd64\nSource: openssl\nVersion: 3.0.11-1~deb12u2\nDescription: x\n Package: none\n',
    'Package: libc-bin\nStatus: install ok installed\nArchitecture: amd64\nSource: glibc (2.36-9)\nVersion: 2.36-9+deb12u4\n',
    'Package: gone\nStatus: deinstall ok config-files\nVersion: 1.0\n',
  ].join('\n'),
};

test('lists what dpkg, npm and pip have installed, with their places', async () => {
  const python = {
    'usr/lib/python3/site-packages/Flask_Login-0.6.dist-info/METADATA':
      'Metadata-Version: 2.1\nName: Flask_Login\nVersion: 0.6.2\n\nName: other\n',
  };
  const own = { 'app/package.json': '{"name":"app","version":"1.0.0"}', 'app/node_modules/.package-lock.json': '{}' };
  const pushed = await pushFiles(client, repository, [
    debian,
    { ...npmFiles({ lodash: '4.17.20', '@scope/thing': '1.0.0' }), ...own },
    python,
  ]);
  const report = await scan(pushed.digest);
  expect(versions(report)).toEqual({
    'Debian:12 libssl3': '3.0.11-1~deb12u2',
    'Debian:12 libc-bin': '2.36-9+deb12u4',
    'npm lodash': '4.17.20',
    'npm @scope/thing': '1.0.0',
    'PyPI flask-login': '0.6.2',
  });
  expect(report).toMatchObject({ platforms: [host], parts: [], vulnerabilities: null, notes: [] });
  const [libssl, libc] = report.packages ?? [];
  expect(libssl).toMatchObject({
    source: { name: 'openssl', version: '3.0.11-1~deb12u2' },
    purl: 'pkg:deb/debian/libssl3@3.0.11-1~deb12u2?arch=amd64&distro=debian-12',
    path: 'var/lib/dpkg/status',
    layer: pushed.layers[0],
    platforms: [host],
  });
  expect(libc?.source).toEqual({ name: 'glibc', version: '2.36-9' });
  expect(report.packages?.find(({ name }) => name === '@scope/thing')).toMatchObject({
    purl: 'pkg:npm/%40scope/thing@1.0.0',
    layer: pushed.layers[1],
  });
});

test('lists what apk has installed, whose letters count in either case', async () => {
  const pushed = await pushFiles(client, repository, [
    {
      'etc/os-release': 'ID=alpine\nVERSION_ID=3.20.3\n',
      'lib/apk/db/installed':
        'C:Q1\nP:libcrypto3\nV:3.3.1-r3\nA:x86_64\no:openssl\np:so:libcrypto.so.3\n\nP:musl\nV:1.2.5-r0\nA:x86_64\no:musl\n',
    },
  ]);
  const report = await scan(pushed.digest);
  expect(report.packages).toMatchObject([
    { ecosystem: 'Alpine:v3.20', name: 'libcrypto3', version: '3.3.1-r3', source: { name: 'openssl', version: '3.3.1-r3' } },
    { ecosystem: 'Alpine:v3.20', name: 'musl', version: '1.2.5-r0', source: null },
  ]);
});

test.each([true, false])('lists the modules of a Go program, with a table of sections: %s', async (hasSections) => {
  const modules = goModules([
    'path\texample.com/hi',
    'mod\texample.com/hi\t(devel)\t',
    'dep\tgolang.org/x/net\tv0.17.0\th1:abc=',
    'dep\tgithub.com/old/one\tv1.0.0',
    '=>\tgithub.com/new/one\tv1.1.0\th1:def=',
    'build\t-compiler=gc\n',
  ]);
  const pushed = await pushFiles(client, repository, [
    { app: goProgram('go1.21.3 X:nocoverageredesign', modules, { hasSections }), 'bin/sh': Buffer.from('#!/x') },
  ]);
  expect(versions(await scan(pushed.digest))).toEqual({
    'Go stdlib': '1.21.3',
    'Go golang.org/x/net': 'v0.17.0',
    'Go github.com/new/one': 'v1.1.0',
  });
});

test('sees the image as it runs: what an upper layer removes, empties or replaces is not there', async () => {
  const upper: LayerSource[] = [
    { kind: 'file', path: 'app/node_modules/.wh.removed', isExecutable: false, content: Buffer.alloc(0) },
    { kind: 'file', path: 'lib/node_modules/.wh..wh..opq', isExecutable: false, content: Buffer.alloc(0) },
    {
      kind: 'file',
      path: 'app/node_modules/kept/package.json',
      isExecutable: false,
      content: Buffer.from('{"name":"kept","version":"2.0.0"}'),
    },
  ];
  const files = Object.entries({
    ...npmFiles({ removed: '1.0.0', kept: '1.0.0', stays: '1.0.0' }),
    'lib/node_modules/emptied/package.json': '{"name":"emptied","version":"1.0.0"}',
  }).map(([path, text]): LayerSource => ({ kind: 'file', path, isExecutable: false, content: Buffer.from(text) }));
  const pushed = await pushLayers(client, repository, [files, upper]);
  const report = await scan(pushed.digest);
  expect(versions(report)).toEqual({ 'npm kept': '2.0.0', 'npm stays': '1.0.0' });
  expect(report.packages?.find(({ name }) => name === 'kept')?.layer).toBe(pushed.layers[1]);
});

test('reads an index for every platform, and says which was never pushed', async () => {
  const one = await pushFiles(client, repository, [npmFiles({ same: '1.0.0', mine: '1.0.0' })], { architecture: 'amd64' });
  const other = await pushFiles(client, repository, [npmFiles({ same: '1.0.0' })], { architecture: 'arm64' });
  const missing = { digest: `sha256:${'0'.repeat(64)}`, size: 100, platform: 'linux/s390x' };
  const digest = await pushIndex(
    client,
    repository,
    [{ ...one, platform: 'linux/amd64' }, { ...other, platform: 'linux/arm64' }, { ...other, platform: 'unknown/unknown' }, missing],
    'several',
  );
  const report = await scan(digest);
  expect(report.platforms).toEqual(['linux/amd64', 'linux/arm64']);
  expect(report.parts).toEqual([one.digest, other.digest]);
  expect(report.notes).toEqual([{ code: 'PlatformMissing', context: { platform: 'linux/s390x' } }]);
  expect(report.packages?.filter(({ name }) => name === 'mine')).toMatchObject([{ platforms: ['linux/amd64'] }]);
});

test('says of an artifact that it is no image', async () => {
  const config = Buffer.from('{}');
  const digest = sha256(config);
  await client.pushBlob(repository, { digest, size: config.length, body: () => config });
  const mediaType = 'application/vnd.oci.image.manifest.v1+json';
  const bytes = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType,
      config: { mediaType: 'application/vnd.example+json', digest, size: config.length },
      layers: [],
    }),
  );
  await client.pushManifest(repository, 'artifact', { mediaType, digest: '', bytes });
  const pushed = await fixture.registry.image(repository, 'artifact');
  await expect(scan(pushed?.digest ?? '')).rejects.toMatchObject({
    kind: 'rejected',
    code: 'NotAnImage',
    context: { mediaType: 'application/vnd.example+json' },
  });
});

test('takes away what a scan has left that was killed, and leaves the others to theirs', async () => {
  const { digest } = await pushFiles(client, repository, [npmFiles({ a: '1.0.0' })]);
  await mkdir(join(directory, 'abandoned', 'layer'), { recursive: true });
  await mkdir(join(directory, 'another'));
  await utimes(join(directory, 'abandoned'), new Date(0), new Date(0));
  const scanner = new EmbeddedScanner({ directory, client, version: '1' });
  expect(versions(await scanner.scan({ repository, digest }, new AbortController().signal))).toEqual({ 'npm a': '1.0.0' });
  await scanner.close();
  expect(await readdir(directory)).toEqual(['another']);
  await rm(join(directory, 'another'), { recursive: true });
});

test('takes layers that were unpacked to run as they are, and pulls them where they are damaged', async () => {
  const { digest, layers } = await pushFiles(client, repository, [npmFiles({ a: '1.0.0' }), npmFiles({ b: '1.0.0' })]);
  const images = `${directory}-images`;
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const store = new ImageStore({ directory: images, client, log });
  onTestFinished(() => rm(images, { recursive: true }));
  await store.prepare(repository, digest);
  const pull = vi.spyOn(client, 'pullBlob');
  onTestFinished(() => pull.mockRestore());
  const scanner = new EmbeddedScanner({ directory, client, unpacked: store.layers, version: '1' });
  const found = async () => versions(await scanner.scan({ repository, digest }, new AbortController().signal));
  expect(await found()).toEqual({ 'npm a': '1.0.0', 'npm b': '1.0.0' });
  expect(pull).not.toHaveBeenCalled();
  await rm(join(images, 'layers', digestFolder(layers[1] ?? ''), 'contents'), { recursive: true });
  expect(await found()).toEqual({ 'npm a': '1.0.0', 'npm b': '1.0.0' });
  expect(pull).toHaveBeenCalledTimes(2);
  await store.layers.forget(layers[0] ?? '');
  pull.mockClear();
  expect(await found()).toEqual({ 'npm a': '1.0.0', 'npm b': '1.0.0' });
  expect(await readdir(directory)).toEqual([]);
});

test('is gone with the image', async () => {
  await expect(scan(`sha256:${'1'.repeat(64)}`)).rejects.toMatchObject({ kind: 'notFound' });
});

test('says what it could not read, and never that nothing is there', async () => {
  const files = {
    ...npmFiles({ good: '1.0.0' }),
    'app/node_modules/broken/package.json': '{"name":',
    'app/node_modules/odd/package.json': '{"name":"a\\u0000b","version":"1"}',
    'app/node_modules/deep/package.json': `${'['.repeat(1_000_000)}`,
    'app/node_modules/huge/package.json': `{"name":"huge","version":"1","x":"${'x'.repeat(4 << 20)}"}`,
    'srv/x.dist-info/METADATA': 'no field at all',
    old: goProgram('go1.16', goModules([]), { flags: 0 }),
  };
  const report = await scan((await pushFiles(client, repository, [files])).digest);
  expect(versions(report)).toEqual({ 'npm good': '1.0.0' });
  expect(report.notes.map(({ code, context }) => [code, context['path']])).toEqual([
    ['FileUnreadable', 'app/node_modules/broken/package.json'],
    ['FileUnreadable', 'app/node_modules/deep/package.json'],
    ['FileTooLarge', 'app/node_modules/huge/package.json'],
    ['FileUnreadable', 'app/node_modules/odd/package.json'],
    ['FileUnreadable', 'srv/x.dist-info/METADATA'],
    ['FileUnreadable', 'old'],
  ]);
});

describe('what no reader knows is a note', () => {
  const notesOf = async (files: LayerFiles) => (await scan((await pushFiles(client, repository, [files])).digest)).notes;
  const unread = (what: string, path: string, count = 1) => ({ code: 'PackagesUnread', context: { what, count: String(count), path } });
  const fedora = 'ID=fedora\nVERSION_ID=44\n';

  test('of a system with RPM, with a fat jar beside an npm package', async () => {
    const files = {
      ...npmFiles({ good: '1.0.0' }),
      'etc/os-release': fedora,
      'usr/lib/sysimage/rpm/rpmdb.sqlite': 'SQLite format 3\0',
      'app/fat.jar': 'PK\u0003\u0004',
      'app/lib/other.JAR': 'PK\u0003\u0004',
    };
    expect(await notesOf(files)).toEqual([
      { code: 'SystemUnknown', context: { system: 'fedora:44' } },
      unread('Java archives', 'app/fat.jar', 2),
      unread('RPM package databases', 'usr/lib/sysimage/rpm/rpmdb.sqlite'),
    ]);
  });
  test('of every package database, archive and manifest without a reader', async () => {
    const places: Readonly<Record<string, readonly string[]>> = {
      'RPM package databases': [
        'var/lib/rpm/Packages',
        'var/lib/rpm/Packages.db',
        'var/lib/rpm/rpmdb.sqlite',
        'usr/lib/sysimage/rpm/Packages.db',
        'var/lib/rpmmanifest/container-manifest-2',
      ],
      'Pacman package databases': ['var/lib/pacman/local/zlib-1.3-1/desc'],
      'Portage package databases': ['var/db/pkg/sys-libs/zlib-1.3/PF'],
      'Nix store databases': ['nix/var/nix/db/db.sqlite'],
      'Chisel manifests': ['var/lib/chisel/manifest.wall'],
      'Conda packages': ['opt/conda/conda-meta/numpy-2.0.json'],
      'Java archives': ['app.war', 'app.ear'],
      'Ruby gems': ['usr/lib/ruby/gems/3.3.0/specifications/rack-3.0.gemspec', 'srv/rack.gem'],
      'Python archives': ['usr/lib/python3/site-packages/thing-1.0-py3.12.egg'],
      'PHP Composer packages': ['app/vendor/composer/installed.json'],
      '.NET packages': ['app/Service.deps.json'],
      'Conan packages': ['opt/conan/conaninfo.txt'],
      'Yarn archives': ['app/.yarn/cache/lodash-npm-4.17.20.zip'],
    };
    const files = Object.fromEntries(['opt/README.md', ...Object.values(places).flat()].map((path) => [path, 'x']));
    const found = (await notesOf(files)).map(({ code, context: { what, count } }) => [code, what, count]);
    const expected = Object.entries(places).map(([what, paths]) => ['PackagesUnread', what, String(paths.length)]);
    expect(found.toSorted()).toEqual(expected.toSorted());
  });
  test('of a program of Rust, and of one of Go that lost its build information', async () => {
    const programs = {
      tool: elfProgram('.comment', Buffer.from('\0rustc version 1.90.0\0')),
      audited: elfProgram('.dep-v0', Buffer.from('x')),
      stripped: elfProgram('.rodata', Buffer.from('/rustc/0123/library/core/src/option.rs')),
      gone: elfProgram('.note.go.buildid', Buffer.from('x')),
      plain: elfProgram('.comment', Buffer.from('GCC: 14')),
    };
    expect(await notesOf(programs)).toEqual([
      unread('Rust programs', 'audited', 3),
      unread('Go programs without build information', 'gone'),
      unread('Programs and libraries that no package lists', 'plain'),
    ]);
  });
  test('of a system that names itself and has no list of packages, or a list and no name', async () => {
    expect(await notesOf({ 'etc/os-release': debian['etc/os-release'] })).toEqual([
      { code: 'SystemPackagesMissing', context: { system: 'Debian:12' } },
    ]);
    expect(await notesOf({ 'var/lib/dpkg/status': debian['var/lib/dpkg/status'] })).toMatchObject([{ code: 'SystemUnknown' }]);
    expect(await notesOf({ ...debian, 'etc/os-release': 'ID=' })).toMatchObject([{ code: 'SystemUnknown' }]);
  });
  test('of a list that is none, or has entries that are none; the others count', async () => {
    const list = 'var/lib/dpkg/status';
    expect(await notesOf({ ...debian, [list]: '\u0001\u0002 garbage' })).toMatchObject([
      { code: 'FileUnreadable', context: { path: list } },
    ]);
    const damaged = { ...debian, [list]: `${debian[list]}\nPackage: half\nStatus: install ok installed\n` };
    const report = await scan((await pushFiles(client, repository, [damaged])).digest);
    expect([Object.keys(versions(report)).length, codes(report)]).toEqual([2, ['FileUnreadable']]);
    const alpine = { 'etc/os-release': 'ID=alpine\nVERSION_ID=3.20.3\n', 'lib/apk/db/installed': 'P:half\n\n' };
    expect(await notesOf(alpine)).toMatchObject([{ code: 'FileUnreadable' }]);
  });
  test('but not of files that belong to a package of the system, whose advisories are the system’s', async () => {
    const java = { 'usr/share/java/a.jar': 'PK', 'usr/share/java/b.jar': 'PK' };
    const listed = { 'var/lib/dpkg/info/liba-java.list': '/.\n/usr/share/java/a.jar\n' };
    expect(await notesOf({ ...debian, ...java, ...listed })).toEqual([unread('Java archives', 'usr/share/java/b.jar')]);
    const alpine = {
      'etc/os-release': 'ID=alpine\nVERSION_ID=3.20.3\n',
      'lib/apk/db/installed': 'P:a\nV:1\nF:usr/share/java\nR:a.jar\nR:b.jar\n',
    };
    expect(await notesOf({ ...alpine, ...java })).toEqual([]);
  });
  test('of a program or a library that was copied beside an npm package, and not of one that a package lists', async () => {
    const program = elfProgram('.comment', Buffer.from('GCC: 14'));
    const copied = { ...npmFiles({ good: '1.0.0' }), 'usr/sbin/nginx': program, 'srv/libz.so.1.3': program.toString('latin1') };
    expect(await notesOf(copied)).toEqual([unread('Programs and libraries that no package lists', 'srv/libz.so.1.3', 2)]);
    const listed = {
      ...copied,
      ...debian,
      'var/lib/dpkg/info/nginx.list': '/.\n/sbin/nginx\n',
      'var/lib/dpkg/status.d/zlib1g': 'Package: zlib1g\nVersion: 1.3\n',
      'var/lib/dpkg/status.d/zlib1g.md5sums': `${'0'.repeat(32)}  srv/libz.so.1.3\n`,
      'app/node_modules/good/build/addon.node': program,
      'usr/lib/python3/site-packages/Thing-1.0.dist-info/METADATA': 'Name: Thing\nVersion: 1.0\n',
      'usr/lib/python3/site-packages/Thing-1.0.dist-info/RECORD': 'thing/fast.so,sha256=x,1\n"../../../bin/thing, too",,\n',
      'usr/lib/python3/site-packages/thing/fast.so': program,
      'usr/bin/thing, too': program,
    };
    expect(await notesOf(listed)).toEqual([]);
    const others = { ...listed, 'usr/lib/python3/site-packages/other.so': program, 'app/node_modules/stray/tool': program };
    expect(await notesOf(others)).toEqual([unread('Programs and libraries that no package lists', 'app/node_modules/stray/tool', 2)]);
  });
  test('but not of Node.js, which names its version, unless a package of the system is it', async () => {
    const release = 'https://nodejs.org/download/release/v24.1.0/node-v24.1.0.tar.gz';
    const node = elfProgram('.rodata', Buffer.concat([Buffer.alloc(9 << 20), Buffer.from(release)]));
    const report = await scan((await pushFiles(client, repository, [{ 'usr/local/bin/node': node }])).digest);
    expect(report.packages).toMatchObject([{ ecosystem: 'Bitnami', name: 'node', version: '24.1.0', purl: 'pkg:generic/node@24.1.0' }]);
    expect(report.notes).toEqual([]);
    const packaged = { ...debian, 'usr/bin/node': node, 'var/lib/dpkg/info/nodejs.list': '/usr/bin/node\n' };
    const other = await scan((await pushFiles(client, repository, [packaged])).digest);
    expect(other.packages?.map(({ name }) => name)).toEqual(['libssl3', 'libc-bin']);
    expect(other.notes).toEqual([]);
  });
  test.runIf(existsSync('/var/lib/dpkg/status'))('nor of anything in the platform’s own base image', async () => {
    const images = await mkdtemp(join(tmpdir(), 'slipway-base-'));
    onTestFinished(() => rm(images, { recursive: true }));
    const base = new BaseImage(images, fixture.registry, client);
    const digest = base.digest(await base.ensure());
    const report = await new EmbeddedScanner({ directory, client, version: '1' }).scan(
      { repository: baseRepository, digest },
      new AbortController().signal,
    );
    expect(report.notes).toEqual([]);
    expect(report.packages).toContainEqual(
      expect.objectContaining({ ecosystem: 'Bitnami', name: 'node', version: process.version.slice(1) }),
    );
    expect(report.packages).toContainEqual(
      expect.objectContaining({ name: 'libc6', ecosystem: expect.stringMatching(/^(Debian|Ubuntu):/), source: expect.anything() }),
    );
  });
  test('and a wheel or an egg that lies there whole is read by what it says of itself', async () => {
    const files = {
      'usr/lib/python3.12/ensurepip/_bundled/pip-24.0-py3-none-any.whl': 'PK',
      'srv/thing.egg/EGG-INFO/PKG-INFO': 'Name: thing\nVersion: 1.0\n',
      'srv/odd.whl': 'PK',
    };
    const report = await scan((await pushFiles(client, repository, [files])).digest);
    expect(versions(report)).toEqual({ 'PyPI pip': '24.0', 'PyPI thing': '1.0' });
    expect(report.notes).toMatchObject([{ code: 'FileUnreadable', context: { path: 'srv/odd.whl' } }]);
  });
});

test('stops at its limits, and says so', async () => {
  const many = npmFiles(Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`p${at}`, '1.0.0'])));
  const { digest } = await pushFiles(client, repository, [many]);
  expect(codes(await scan(digest, { files: 10 }))).toEqual(['TooManyFiles']);
  expect(codes(await scan(digest, { packages: 10 }))).toEqual(['TooManyPackages']);
  expect(codes(await scan(digest, { readMs: 0 }))).toEqual(['OutOfTime']);
  await expect(scan(digest, { entries: 20 })).rejects.toMatchObject({ kind: 'rejected', code: 'ImageTooLarge' });
});

test('does not read a list of packages without end', async () => {
  const status = 'Package: a\nStatus: install ok installed\nVersion: 1\n\n'.repeat(400_000);
  const report = await scan((await pushFiles(client, repository, [{ ...debian, 'var/lib/dpkg/status': status }])).digest);
  expect(report).toMatchObject({ packages: [], notes: [{ code: 'FileTooLarge', context: { path: 'var/lib/dpkg/status' } }] });
});

test('ends when it is aborted', async () => {
  const { digest } = await pushFiles(client, repository, [npmFiles({ a: '1.0.0' })]);
  const scanner = new EmbeddedScanner({ directory, client, version: '1' });
  const stop = new AbortController();
  const scanning = scanner.scan({ repository, digest }, stop.signal);
  stop.abort(new Error('enough'));
  await expect(scanning).rejects.toThrow();
  expect(await readdir(directory)).toEqual([]);
});
