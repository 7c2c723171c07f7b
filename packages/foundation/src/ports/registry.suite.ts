// Tests for every registry adapter, on a real registry: projects, robot accounts, images, tokens and push reports.
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isPortFailure } from './failure.ts';
import type { ImagePushed, Registry, RobotAction } from './registry.ts';
import { RegistryClient } from './registry.suite-client.ts';

export interface RegistryUnderTest {
  readonly registry: Registry;
  stop(): Promise<void>;
}

const ALL: readonly RobotAction[] = ['pull', 'push', 'delete'];

export function registrySuite(name: string, makeRegistry: () => Promise<RegistryUnderTest>): void {
  describe(`registry port: ${name}`, () => {
    let subject: RegistryUnderTest;
    let registry: Registry;
    let project: string;
    beforeAll(async () => {
      subject = await makeRegistry();
      registry = subject.registry;
    });
    afterAll(() => subject?.stop());
    // A new project for each test, because an external registry keeps data between runs.
    beforeEach(async () => {
      project = `suite-${randomBytes(5).toString('hex')}`;
      await registry.projectEnsure(project, 'suite');
    });
    afterEach(() => registry.projectDelete(project));

    const client = async (actions: readonly RobotAction[] = ALL, robot = 'ci') =>
      new RegistryClient(registry, await registry.robotEnsure(project, robot, actions));

    projectTests(() => ({ registry, project }));
    robotTests(() => ({ registry, project, client }));
    imageTests(() => ({ registry, project, client }));
    tokenTests(() => ({ registry, project, client }));
  });
}

interface World {
  readonly registry: Registry;
  readonly project: string;
}
interface ClientWorld extends World {
  readonly client: (actions?: readonly RobotAction[], robot?: string) => Promise<RegistryClient>;
}

function projectTests(world: () => World): void {
  it('ensures a project any number of times for its owner, and tells another owner that it is taken', async () => {
    const { registry, project } = world();
    expect(await registry.projectEnsure(project, 'suite')).toEqual({ created: true });
    expect(await registry.projectEnsure(project, 'somebody else')).toEqual({ created: false });
    expect(await registry.projectEnsure(project, 'suite')).toEqual({ created: true });
    expect(await registry.projectExists(project)).toBe(true);
  });

  it('refuses a project name that cannot stand in an image reference', async () => {
    for (const name of ['Shop', '../shop', 'shop/hello', '', '-shop']) {
      await expect(world().registry.projectEnsure(name, 'suite')).rejects.toSatisfy((error) => isPortFailure(error, 'rejected'));
    }
  });

  it('deletes a project with everything in it, and again without complaint', async () => {
    const { registry, project } = world();
    const ci = new RegistryClient(registry, await registry.robotEnsure(project, 'ci', ALL));
    await ci.pushImage(`${project}/hello`, '1', 'one');
    await registry.projectDelete(project);
    await registry.projectDelete(project);
    expect(await registry.projectExists(project)).toBe(false);
    expect(await registry.repositories(project)).toEqual([]);
    expect(await registry.image(`${project}/hello`, '1')).toBeUndefined();
    expect((await ci.send('GET', '/v2/')).status).toBe(401);
    // The name is available again.
    expect(await registry.projectEnsure(project, 'somebody else')).toEqual({ created: true });
  });
}

function robotTests(world: () => ClientWorld): void {
  it('gives robots a secret of 8 to 128 characters with lower case, upper case and a digit', async () => {
    const { secret } = await world().registry.robotEnsure(world().project, 'ci', ['pull']);
    expect(secret).toMatch(/^(?=.*[a-z])(?=.*[A-Z])(?=.*\d).{8,128}$/);
  });

  it('lists robots by name, with what they may do', async () => {
    const { registry, project } = world();
    await registry.robotEnsure(project, 'reader', ['pull']);
    const ci = await registry.robotEnsure(project, 'ci', ['pull', 'push']);
    const robots = await registry.robots(project);
    expect(robots.map(({ name, username, actions }) => ({ name, username, actions: [...actions].sort() })).slice(0, 1)).toEqual([
      { name: 'ci', username: ci.username, actions: ['pull', 'push'] },
    ]);
    expect(robots.map(({ name }) => name)).toEqual(['ci', 'reader']);
    expect(await registry.robots('no-such-project')).toEqual([]);
  });

  it('gives an existing robot a new secret and ends the old one', async () => {
    const { registry, project } = world();
    const old = await registry.robotEnsure(project, 'ci', ['pull']);
    const renewed = await registry.robotEnsure(project, 'ci', ['pull']);
    expect(renewed.username).toBe(old.username);
    expect((await new RegistryClient(registry, renewed).send('GET', '/v2/')).status).toBe(200);
    expect((await new RegistryClient(registry, old).send('GET', '/v2/')).status).toBe(401);
  });

  it('lets a robot do what it is for and nothing else', async () => {
    const { project, client } = world();
    await (await client(ALL, 'ci')).pushImage(`${project}/hello`, '1', 'one');
    const reader = await client(['pull'], 'reader');
    expect((await reader.send('GET', `/v2/${project}/hello/manifests/1`)).status).toBe(200);
    await expect(reader.pushImage(`${project}/hello`, '2', 'two')).rejects.toThrow(/refused with 40[13]/);
    expect((await reader.send('DELETE', `/v2/${project}/hello/manifests/1`)).status).toBeOneOf([401, 403]);
  });

  it('keeps a robot out of other projects, and strangers out of all', async () => {
    const { registry, project, client } = world();
    await (await client()).pushImage(`${project}/hello`, '1', 'one');
    const other = `${project}-other`;
    await registry.projectEnsure(other, 'suite');
    const stranger = new RegistryClient(registry, await registry.robotEnsure(other, 'ci', ALL));
    for (const who of [stranger, new RegistryClient(registry)]) {
      expect((await who.send('GET', `/v2/${project}/hello/manifests/1`)).status).toBe(401);
      expect((await who.send('POST', `/v2/${project}/hello/blobs/uploads/`)).status).toBe(401);
    }
    await registry.projectDelete(other);
  });

  it('deletes a robot, and again without complaint', async () => {
    const { registry, project } = world();
    const credentials = await registry.robotEnsure(project, 'ci', ALL);
    await registry.robotDelete(project, 'ci');
    await registry.robotDelete(project, 'ci');
    expect((await new RegistryClient(registry, credentials).send('GET', '/v2/')).status).toBe(401);
  });

  it('answers not found for a robot of a project that does not exist', async () => {
    const work = world().registry.robotEnsure(`${world().project}-missing`, 'ci', ['pull']);
    await expect(work).rejects.toSatisfy((error) => isPortFailure(error, 'notFound'));
  });
}

function imageTests(world: () => ClientWorld): void {
  it('serves what was pushed byte by byte', async () => {
    const { project, client } = world();
    const ci = await client();
    const image = await ci.pushImage(`${project}/hello`, '1', 'one');
    const pulled = await ci.send('GET', `/v2/${project}/hello/manifests/1`);
    expect(Buffer.from(await pulled.arrayBuffer())).toEqual(image.manifest);
    expect(pulled.headers.get('docker-content-digest')).toBe(image.digest);
    const layer = await ci.send('GET', `/v2/${project}/hello/blobs/${image.layer.digest}`);
    expect(Buffer.from(await layer.arrayBuffer())).toEqual(image.layer.bytes);
  });

  it('describes an image by tag and by digest, and has nothing for what is not there', async () => {
    const { registry, project, client } = world();
    const repository = `${project}/hello`;
    const pushed = await (await client()).pushImage(repository, '1', 'one');
    const image = await registry.image(repository, '1');
    expect(image).toMatchObject({ repository, digest: pushed.digest, tags: ['1'], sizeBytes: pushed.sizeBytes });
    expect(image?.mediaType).toBe('application/vnd.oci.image.manifest.v1+json');
    expect(await registry.image(repository, pushed.digest)).toEqual(image);
    expect(await registry.image(repository, '2')).toBeUndefined();
    expect(await registry.image(`${project}/missing`, '1')).toBeUndefined();
    expect(await registry.image(repository, 'no tag!')).toBeUndefined();
  });

  it('lists repositories, and tags with the newest first', async () => {
    const { registry, project, client } = world();
    const ci = await client();
    const first = await ci.pushImage(`${project}/hello`, '1', 'one');
    const second = await ci.pushImage(`${project}/hello`, '2', 'two');
    await ci.pushImage(`${project}/hello`, 'latest', 'two');
    await ci.pushImage(`${project}/deep/name`, '1', 'one');
    expect((await registry.repositories(project)).map(({ repository, tags }) => [repository, tags])).toEqual([
      [`${project}/deep/name`, 1],
      [`${project}/hello`, 3],
    ]);
    const tags = await registry.tags(`${project}/hello`);
    expect(tags.map((image) => [image.digest, image.tags])).toEqual([
      [second.digest, ['2', 'latest']],
      [first.digest, ['1']],
    ]);
    expect(await registry.tags(`${project}/missing`)).toEqual([]);
  });

  it('tells which tags were pushed after an instant, by whom, of many repositories at once', async () => {
    const { registry, project, client } = world();
    const ci = await client();
    const repository = `${project}/hello`;
    await ci.pushImage(repository, '1', 'one');
    const [first] = await registry.tagsPushed([{ repository, after: new Date(0) }]);
    const after = first?.pushedAt ?? new Date(0);
    await ci.pushImage(repository, '2', 'two');
    await ci.pushImage(`${project}/other`, 'x', 'three');
    await ci.pushImage(repository, '1', 'four');
    const pushed = await registry.tagsPushed([
      { repository, after },
      { repository: `${project}/other`, after: new Date(0) },
      { repository: `${project}/missing`, after: new Date(0) },
    ]);
    expect(pushed.map(({ repository: of, tag }) => `${of}:${tag}`)).toEqual([`${repository}:1`, `${project}/other:x`, `${repository}:2`]);
    const image = await registry.image(repository, '1');
    expect(pushed[0]).toMatchObject({ digest: image?.digest, pushedBy: expect.stringContaining('ci') as unknown });
    expect(await registry.tagsPushed([])).toEqual([]);
  });

  it('moves a tag with a later push and keeps the earlier image by its digest', async () => {
    const { registry, project, client } = world();
    const ci = await client();
    const first = await ci.pushImage(`${project}/hello`, 'main', 'one');
    const second = await ci.pushImage(`${project}/hello`, 'main', 'two');
    expect((await registry.image(`${project}/hello`, 'main'))?.digest).toBe(second.digest);
    expect(await registry.image(`${project}/hello`, first.digest)).toMatchObject({ tags: [] });
  });

  it('refuses a manifest whose layers are not there', async () => {
    const { registry, project, client } = world();
    const ci = await client();
    const { manifest } = await ci.pushImage(`${project}/hello`, '1', 'one');
    const refused = await ci.pushManifest(`${project}/other`, '1', manifest);
    expect(refused.status).toBeOneOf([400, 404]);
    expect(await registry.image(`${project}/other`, '1')).toBeUndefined();
  });

  it('does not lose a layer that an image needs', async () => {
    const { project, client } = world();
    const ci = await client();
    const { layer } = await ci.pushImage(`${project}/hello`, '1', 'one');
    expect((await ci.send('DELETE', `/v2/${project}/hello/blobs/${layer.digest}`)).status).toBeOneOf([202, 400, 405]);
    expect((await ci.send('GET', `/v2/${project}/hello/blobs/${layer.digest}`)).status).toBe(200);
  });

  it('deletes a repository, and again without complaint', async () => {
    const { registry, project, client } = world();
    await (await client()).pushImage(`${project}/hello`, '1', 'one');
    await registry.repositoryDelete(`${project}/hello`);
    await registry.repositoryDelete(`${project}/hello`);
    expect(await registry.repositories(project)).toEqual([]);
    expect(await registry.image(`${project}/hello`, '1')).toBeUndefined();
  });

  it('reports pushed tags until the listener goes', async () => {
    const { registry, project, client } = world();
    const ci = await client();
    const seen: ImagePushed[] = [];
    const stop = registry.onPush((image) => seen.push(image));
    const other: ImagePushed[] = [];
    const stopOther = registry.onPush((image) => other.push(image));
    const { digest } = await ci.pushImage(`${project}/hello`, '1', 'one');
    await expect.poll(() => seen).toEqual([{ repository: `${project}/hello`, tag: '1', digest }]);
    stop();
    await ci.pushImage(`${project}/hello`, '2', 'two');
    await expect.poll(() => other.length).toBe(2);
    expect(seen).toHaveLength(1);
    stopOther();
  });
}

function tokenTests(world: () => ClientWorld): void {
  it('signs tokens for the platform that are good for one repository and the actions asked for', async () => {
    const { registry, project } = world();
    const pusher = new RegistryClient(registry, await registry.accessToken(`${project}/hello`, ['pull', 'push']));
    await pusher.pushImage(`${project}/hello`, '1', 'one');
    await expect(pusher.pushImage(`${project}/other`, '1', 'one')).rejects.toThrow(/refused with 40[13]/);
    const puller = new RegistryClient(registry, await registry.accessToken(`${project}/hello`, ['pull']));
    expect((await puller.send('GET', `/v2/${project}/hello/manifests/1`)).status).toBe(200);
    await expect(puller.pushImage(`${project}/hello`, '2', 'two')).rejects.toThrow(/refused with 40[13]/);
    expect((await puller.send('DELETE', `/v2/${project}/hello/manifests/1`)).status).toBeOneOf([401, 403]);
  });
}
