/**
 * How the programs that the page of an account shows are run: each in a fresh folder, as its text says it. What installs a client is taken from the
 * text's own first line, so that the line is tried, too.
 */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { SnippetLanguage } from '@slipway/contract/streaming/snippets/snippets.ts';
import { PATIENCE_MS } from '#testing/patience.ts';

const run = promisify(execFile);
/**
 * Folder of the virtual environments, which are made once for all runs, and folder of the jars of a Kafka.
 * scripts/engines.ts sets both.
 */
const { TEST_CLIENTS_TOOLS: tools = '', TEST_CLIENTS_JARS: jars = '' } = process.env;
/** Installing and compiling on a busy machine. */
export const INSTALL_MS = 5 * PATIENCE_MS;
/** JVMs beside others. */
const RUN_MS = 3 * PATIENCE_MS;

export interface Started {
  readonly command: string;
  readonly words: readonly string[];
}
interface ClientProgram {
  /** Returns what this machine lacks, or undefined if the program can run. */
  readonly missing: () => string | undefined;
  /** Into a folder that is new. */
  readonly write: (folder: string, text: string) => Promise<Started>;
}

const answers = (command: string, ...words: string[]): boolean => spawnSync(command, words, { stdio: 'ignore' }).status === 0;
export const lacks = (command: string, ...words: string[]) => (answers(command, ...words) ? undefined : `there is no ${command}`);
const installed = /^(?:\/\/|#) (?:npm install|pip install|go get|Maven:) "?([^\s"]+)"?$/m;
/** `confluent-kafka==2.16.0`, as the text says it. */
export const clientOf = (text: string): string => {
  const [, wanted] = installed.exec(text) ?? [];
  if (wanted === undefined) throw new Error(`It does not say what to install: ${text.split('\n', 1)[0]}`);
  return wanted;
};

/** A client in another version than the text says would try nothing. */
const npm: ClientProgram = {
  missing: () => undefined,
  write: async (folder, text) => {
    const wanted = clientOf(text);
    const name = wanted.slice(0, wanted.lastIndexOf('@'));
    const { version } = JSON.parse(await readFile(findPackageJSON(name, import.meta.url) ?? '', 'utf8')) as { version: string };
    if (wanted !== `${name}@${version}`) throw new Error(`The tests have ${name}@${version}, and the program says ${wanted}`);
    const file = join(folder, 'main.mjs');
    await writeFile(file, text);
    return { command: process.execPath, words: [file] };
  },
};

/**
 * Returns the folder of a tool, which is filled once for all runs.
 * The folder gets its name when it is complete.
 * If two callers need it at the same time, each fills one, and one is kept.
 */
export const toolFolder = async (name: string, fill: (folder: string) => Promise<unknown>): Promise<string> => {
  const place = join(tools, name);
  if (existsSync(place)) return place;
  await mkdir(tools, { recursive: true });
  const made = await mkdtemp(`${place}-`);
  await fill(made);
  await symlink(made, place).catch(() => rm(made, { recursive: true }));
  return place;
};
/** Returns the Python of a virtual environment with these packages. */
export const virtualEnvironment = async (...packages: readonly string[]): Promise<string> => {
  const place = await toolFolder(`python-${packages.join('+').replace(/[^\w.=+-]/g, '_')}`, async (made) => {
    await run('python3', ['-m', 'venv', made], { timeout: INSTALL_MS });
    await run(join(made, 'bin/python'), ['-m', 'pip', 'install', '--quiet', ...packages], { timeout: INSTALL_MS });
  });
  return join(place, 'bin/python');
};
const python: ClientProgram = {
  missing: () => lacks('python3', '-m', 'venv', '--help'),
  write: async (folder, text) => {
    const file = join(folder, 'main.py');
    await writeFile(file, text);
    return { command: await virtualEnvironment(clientOf(text)), words: [file] };
  },
};

/**
 * Returns a folder with an artifact of Maven Central, `group:name`, in the version of the Kafka jars, and with everything that it needs.
 * Fetched once.
 */
export const javaLibrary = async (artifact: string): Promise<string> => {
  const [group, name] = artifact.split(':');
  const version = (await readdir(jars)).map((jar) => /^kafka-clients-([\d.]+)\.jar$/.exec(jar)?.[1]).find((found) => found !== undefined);
  const place = join(tools, `java-${name}-${version}`);
  if (existsSync(place)) return place;
  await mkdir(tools, { recursive: true });
  const made = await mkdtemp(`${place}-`);
  const dependency = `<dependency><groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version></dependency>`;
  const own = '<modelVersion>4.0.0</modelVersion><groupId>tests</groupId><artifactId>tests</artifactId><version>1</version>';
  await writeFile(join(made, 'pom.xml'), `<project>${own}<dependencies>${dependency}</dependencies></project>`);
  const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies';
  await run('mvn', ['-q', '-B', '-f', join(made, 'pom.xml'), goal, `-DoutputDirectory=${made}`], { timeout: INSTALL_MS });
  await symlink(made, place).catch(() => rm(made, { recursive: true }));
  return place;
};
export const lacksMaven = (): string | undefined => lacks('mvn', '-version');

/** `libraries`: folders of further jars. */
export const javaStarted = (file: string, ...libraries: readonly string[]): Started => ({
  command: 'java',
  words: ['-XX:TieredStopAtLevel=1', '-cp', [...libraries, jars].map((folder) => `${folder}/*`).join(':'), file],
});
/** One of those that Kafka brings. */
export const javaTool = (name: string, words: readonly string[]): Started => ({
  command: 'java',
  words: ['-XX:TieredStopAtLevel=1', '-cp', `${jars}/*`, name, ...words],
});
const java: ClientProgram = {
  missing: () => lacks('javac', '-version') ?? (jars === '' ? "there are no jars of Kafka's" : undefined),
  write: async (folder, text) => {
    const [, name, version] = clientOf(text).split(':');
    if (!(await readdir(jars)).includes(`${name}-${version}.jar`)) throw new Error(`There is no ${name} ${version} in ${jars}`);
    const file = join(folder, 'Main.java');
    await writeFile(file, text);
    // The launcher of sources hides failures that have no stack, as Kafka's have.
    await run('javac', ['-cp', `${jars}/*`, '-d', folder, file], { timeout: INSTALL_MS });
    return { command: 'java', words: ['-XX:TieredStopAtLevel=1', '-cp', `${folder}:${jars}/*`, 'Main'] };
  },
};

const go: ClientProgram = {
  missing: () => lacks('go', 'version'),
  write: async (folder, text) => {
    await writeFile(join(folder, 'main.go'), text);
    const does = (...words: string[]) => run('go', words, { cwd: folder, timeout: INSTALL_MS });
    await does('mod', 'init', 'example');
    await does('get', clientOf(text));
    await does('build', '-o', 'main', '.');
    return { command: join(folder, 'main'), words: [] };
  },
};

/** Apache Kafka refuses the sign-in of older ones; see the program. */
export const kcatRefusedByKafka = (): string | undefined => {
  const { stdout, stderr } = spawnSync('kcat', ['-V'], { encoding: 'utf8' });
  const [, version = '0'] = /librdkafka ([\d.]+)/.exec(`${stdout}${stderr}`) ?? [];
  const isOld = version.localeCompare('2.6.1', 'en', { numeric: true }) < 0;
  return isOld ? `its librdkafka is ${version}, and Apache Kafka takes 2.6.1 or newer` : undefined;
};
const kcat: ClientProgram = {
  missing: () => lacks('kcat', '-V') ?? lacks('bash', '--version'),
  write: async (folder, text) => {
    const file = join(folder, 'main.sh');
    await writeFile(file, text);
    return { command: 'bash', words: [file] };
  },
};

export const clientPrograms: Readonly<Record<SnippetLanguage, ClientProgram>> = { node: npm, kafkajs: npm, java, python, go, kcat };

/** Below the packages of the workspace, so that Node finds them. */
const below = join(import.meta.dirname, '../../../../../node_modules/.cache');
export const freshFolder = async (parent = below): Promise<string> => {
  await mkdir(parent, { recursive: true });
  return mkdtemp(join(parent, 'client-'));
};

export interface Ended {
  readonly code: number | null;
  readonly output: string;
}
/** Until it ends by itself, or has shown what was waited for; then it is stopped, with what it started itself. */
export const runUntil = (
  { command, words }: Started,
  options: { readonly env: NodeJS.ProcessEnv; readonly cwd?: string; readonly shown?: RegExp },
): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const { env, cwd, shown } = options;
    const child = spawn(command, words, { env: { ...process.env, ...env }, cwd, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    let output = '';
    const stop = (): void => {
      try {
        if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It ended by itself meanwhile.
      }
    };
    const late = setTimeout(() => {
      stop();
      reject(new Error(`${command} ${shown ? `did not show ${shown}` : 'did not end'}: ${output.slice(-2000)}`));
    }, RUN_MS);
    const note = (part: string): void => {
      output += part;
      if (shown?.test(output)) stop();
    };
    child.stdout.setEncoding('utf8').on('data', note);
    child.stderr.setEncoding('utf8').on('data', note);
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(late);
      if (shown && !shown.test(output))
        reject(new Error(`${command} ended with ${code} and did not show ${shown}: ${output.slice(-2000)}`));
      else resolve({ code, output });
    });
  });
