import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { readManifest } from './manifest-document.ts';
import { asRegistryError } from '../registry-error.ts';

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const INDEX = 'application/vnd.oci.image.index.v1+json';
const digest = (letter: string): string => `sha256:${letter.repeat(64)}`;
const config = { mediaType: 'application/vnd.oci.image.config.v1+json', digest: digest('c'), size: 2 };
const layer = { mediaType: 'application/vnd.oci.image.layer.v1.tar', digest: digest('a'), size: 1 };
const read = (document: unknown, contentType?: string) => readManifest(Buffer.from(JSON.stringify(document)), contentType);

describe('readManifest', () => {
  it('names each blob once, without layers that live elsewhere', () => {
    const foreign = { mediaType: 'application/vnd.docker.image.rootfs.foreign.diff.tar.gzip', digest: digest('f'), size: 1 };
    const linked = { ...layer, digest: digest('b'), urls: ['https://example.com/layer'] };
    const { blobs } = read({ schemaVersion: 2, config, layers: [layer, layer, foreign, linked] });
    expect(blobs).toEqual([digest('c'), digest('a')]);
  });

  it('takes the type from the header, else from the document, else from its shape', () => {
    const image = { schemaVersion: 2, config, layers: null };
    const docker = 'application/vnd.docker.distribution.manifest.v2+json';
    expect(read(image, `${docker}; charset=utf-8`).mediaType).toBe(docker);
    expect(read({ ...image, mediaType: docker }).mediaType).toBe(docker);
    expect(read(image).mediaType).toBe(MANIFEST);
    expect(read({ schemaVersion: 2, manifests: [] }).mediaType).toBe(INDEX);
  });

  it('calls an artifact what it calls itself, else what its configuration is', () => {
    expect(read({ schemaVersion: 2, artifactType: 'application/x', config }).artifactType).toBe('application/x');
    expect(read({ schemaVersion: 2, config }).artifactType).toBe(config.mediaType);
    expect(read({ schemaVersion: 2, manifests: [] }, INDEX).artifactType).toBeUndefined();
  });

  it.each<[string, unknown, string | undefined]>([
    ['an array', [], undefined],
    ['null', null, undefined],
    ['schema version 1', { schemaVersion: 1, config }, undefined],
    ['no configuration', { schemaVersion: 2, layers: [] }, MANIFEST],
    ['a type that is not allowed', { schemaVersion: 2, config }, 'text/html'],
    ['a type that is not allowed in the document', { schemaVersion: 2, mediaType: 'text/html', config }, undefined],
    ['two types', { schemaVersion: 2, mediaType: MANIFEST, config }, 'application/vnd.docker.distribution.manifest.v2+json'],
    ['an image that is an index as well', { schemaVersion: 2, config, manifests: [] }, MANIFEST],
    ['an index that is an image as well', { schemaVersion: 2, manifests: [], layers: [] }, INDEX],
    ['a digest that leads out of the store', { schemaVersion: 2, config: { ...config, digest: 'sha256:../../x' } }, MANIFEST],
    ['a subject without digest', { schemaVersion: 2, config, subject: {} }, MANIFEST],
    ['annotations that are no texts', { schemaVersion: 2, config, annotations: { a: 1 } }, MANIFEST],
    ['a type with a control character', { schemaVersion: 2, config, artifactType: 'a\u0000b' }, MANIFEST],
  ])('refuses %s', (_, document, contentType) => {
    expect(() => read(document, contentType)).toThrow(expect.objectContaining({ status: 400, code: 'MANIFEST_INVALID' }));
  });

  it('refuses what is not JSON', () => {
    expect(() => readManifest(Buffer.from('{'), MANIFEST)).toThrow(expect.objectContaining({ code: 'MANIFEST_INVALID' }));
  });
});

describe('asRegistryError', () => {
  it.skipIf(process.platform !== 'linux')('tells the client that the disk is full', async () => {
    const full: unknown = await writeFile('/dev/full', 'x').catch((error: unknown) => error);
    expect(asRegistryError(full)).toMatchObject({
      status: 507,
      code: 'UNKNOWN',
      message: 'the registry has no disk space left: nothing is taken until some is freed',
    });
    expect(asRegistryError(new Error('our own fault'))).toBeUndefined();
  });
});
