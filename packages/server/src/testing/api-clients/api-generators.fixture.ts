/** Generates the client of each language from the platform's description, and builds the program of `programs` with it. Versions are pinned. */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { INSTALL_MS, lacks, toolFolder, virtualEnvironment, type Started } from '../clients/client-programs.fixture.ts';

export interface Generator {
  /** Name of the app that its client makes. */
  readonly app: string;
  /** Returns the tool that this machine lacks, or undefined. */
  readonly missing: () => string | undefined;
  /** Generates and builds in `folder`, which contains the description as `openapi.json`. */
  readonly build: (folder: string) => Promise<Started>;
}

const OPENAPI_GENERATOR = '7.25.0';
const OAPI_CODEGEN = '2.8.0';
const OAPI_MODULES = ['github.com/oapi-codegen/runtime@v1.8.0', 'go.yaml.in/yaml/v3@v3.0.4'];
const NPM = ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', 'typescript@5.9.3', '@types/node@24.19.2'];
const PYTHON = ['pydantic==2.12.5', 'python-dateutil==2.9.0.post0', 'typing-extensions==4.15.0', 'urllib3==2.7.0'];
const MAVEN_DEPENDENCY = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1';

const execute = promisify(execFile);
const run = (command: string, words: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}) =>
  execute(command, words, { cwd, env: { ...process.env, ...env }, timeout: INSTALL_MS, maxBuffer: 64 * 1024 * 1024 }).catch(
    (error: Error & { readonly stdout?: string }) => {
      // Some compilers write their errors to the standard output.
      throw new Error(`${error.message}${error.stdout?.slice(-4000)}`, { cause: error });
    },
  );
const program = (name: string): string => join(import.meta.dirname, 'programs', name);

/** The first seconds of a JVM are faster without its second compiler. */
const FAST = '-XX:TieredStopAtLevel=1';

/** Runs openapi-generator, a program for the JVM, without its tests and documents. */
const openApiGenerator = async (cwd: string, language: string, output: string, ...words: string[]): Promise<void> => {
  const name = `openapi-generator-cli-${OPENAPI_GENERATOR}`;
  const artifact = `org.openapitools:openapi-generator-cli:${OPENAPI_GENERATOR}`;
  const tool = await toolFolder(name, (made) =>
    run('mvn', ['-q', '-B', `${MAVEN_DEPENDENCY}:copy`, `-Dartifact=${artifact}`, `-DoutputDirectory=${made}`], made),
  );
  const less = 'apiTests=false,modelTests=false,apiDocs=false,modelDocs=false';
  const asked = ['generate', '-g', language, '-i', 'openapi.json', '-o', output, '--global-property', less];
  await run('java', [FAST, '-jar', join(tool, `${name}.jar`), ...asked, ...words], cwd);
};
const lacksOpenApiGenerator = () => lacks('java', '-version') ?? lacks('mvn', '-version');

const java: Generator = {
  app: 'java-client',
  missing: () => lacksOpenApiGenerator() ?? lacks('javac', '-version'),
  build: async (folder) => {
    await openApiGenerator(folder, 'java', 'client');
    const libraries = await toolFolder(`java-libraries-${OPENAPI_GENERATOR}`, (made) =>
      run('mvn', ['-q', '-B', `${MAVEN_DEPENDENCY}:copy-dependencies`, `-DoutputDirectory=${made}`], join(folder, 'client')),
    );
    const sources = join(folder, 'client/src/main/java');
    const files = (await readdir(sources, { recursive: true })).filter((file) => file.endsWith('.java'));
    await writeFile(join(folder, 'sources'), [program('Main.java'), ...files.map((file) => join(sources, file))].join('\n'));
    await run('javac', [`-J${FAST}`, '-nowarn', '-proc:none', '-d', 'classes', '-cp', `${libraries}/*`, '@sources'], folder);
    return { command: 'java', words: [FAST, '-cp', `${folder}/classes:${libraries}/*`, 'Main'] };
  },
};

const goBuild = async (folder: string, name: string, ...dependencies: string[]): Promise<Started> => {
  await copyFile(program(name), join(folder, 'main.go'));
  await run('go', ['mod', 'init', 'example'], folder);
  if (dependencies.length > 0) await run('go', ['get', ...dependencies], folder);
  await run('go', ['build', '-trimpath', '-o', 'main', '.'], folder);
  return { command: join(folder, 'main'), words: [] };
};

const go: Generator = {
  app: 'go-client',
  missing: () => lacksOpenApiGenerator() ?? lacks('go', 'version'),
  build: async (folder) => {
    await openApiGenerator(folder, 'go', 'slipway', '--additional-properties', 'packageName=slipway,withGoMod=false,enumClassPrefix=true');
    return goBuild(folder, 'openapi-generator.go');
  },
};

const oapiCodegen: Generator = {
  app: 'oapi-client',
  missing: () => lacks('go', 'version'),
  build: async (folder) => {
    const tool = await toolFolder(`oapi-codegen-${OAPI_CODEGEN}`, (made) =>
      run('go', ['install', `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v${OAPI_CODEGEN}`], made, { GOBIN: made }),
    );
    await mkdir(join(folder, 'slipway'));
    const words = ['-generate', 'types,client', '-package', 'slipway', '-o', 'slipway/slipway.go', 'openapi.json'];
    await run(join(tool, 'oapi-codegen'), words, folder);
    return goBuild(folder, 'oapi-codegen.go', ...OAPI_MODULES);
  },
};

const python: Generator = {
  app: 'python-client',
  missing: () => lacksOpenApiGenerator() ?? lacks('python3', '-m', 'venv', '--help'),
  build: async (folder) => {
    await openApiGenerator(folder, 'python', '.', '--additional-properties', 'packageName=slipway');
    await copyFile(program('main.py'), join(folder, 'main.py'));
    return { command: await virtualEnvironment(...PYTHON), words: [join(folder, 'main.py')] };
  },
};

const typescript: Generator = {
  app: 'typescript-client',
  missing: () => lacks('npm', '--version'),
  build: async (folder) => {
    const tool = await toolFolder(`npm-${NPM.join('+').replaceAll(/[/@]/g, '_')}`, (made) =>
      run('npm', ['install', '--no-audit', '--no-fund', '--prefix', made, ...NPM], made),
    );
    await symlink(join(tool, 'node_modules'), join(folder, 'node_modules'));
    // The program keeps another ending in the repository, since it does not compile without the generated types.
    await copyFile(program('openapi-fetch.mts.txt'), join(folder, 'main.mts'));
    await run('node_modules/.bin/openapi-typescript', ['openapi.json', '-o', 'slipway.ts'], folder);
    const strict = ['--strict', '--noEmit', '--allowImportingTsExtensions', '--module', 'nodenext', '--target', 'es2024'];
    await run('node_modules/.bin/tsc', [...strict, 'main.mts'], folder);
    return { command: process.execPath, words: [join(folder, 'main.mts')] };
  },
};

export const generators: Readonly<Record<string, Generator>> = {
  'openapi-generator, Java': java,
  'openapi-generator, Go': go,
  'openapi-generator, Python': python,
  'oapi-codegen, Go': oapiCodegen,
  'openapi-typescript, TypeScript': typescript,
};
