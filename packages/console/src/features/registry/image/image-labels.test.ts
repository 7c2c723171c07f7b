import { expect, test } from 'vitest';
import { shortDigest } from '#features/registry/Digest.tsx';
import { pusherName } from '#features/registry/pusher-name.ts';
import { layerCommand } from './layer-command.ts';
import { referrerName } from './referrer-name.ts';

test.each([
  ['/bin/sh -c #(nop)  CMD ["node" "server.js"]', 'CMD ["node" "server.js"]'],
  ['RUN /bin/sh -c npm ci --omit=dev # buildkit', 'RUN npm ci --omit=dev'],
  ['COPY dist ./dist # buildkit', 'COPY dist ./dist'],
  ['/bin/sh -c apt-get update \t && apt-get install -y git', 'RUN apt-get update && apt-get install -y git'],
  ['', ''],
])('the command %j of a layer', (command, words) => {
  expect(layerCommand(command)).toBe(words);
});

test.each([
  ['application/vnd.dev.cosign.artifact.sig.v1+json', 'Signature'],
  ['application/vnd.dev.sigstore.bundle.v0.3+json', 'Signature'],
  ['application/vnd.in-toto+json', 'Provenance'],
  ['application/vnd.cyclonedx+json', 'SBOM, CycloneDX'],
  ['application/spdx+json', 'SBOM, SPDX'],
  ['application/vnd.example.test', 'Attached file'],
])('a referrer of type %s', (artifactType, label) => {
  expect(referrerName(artifactType).label).toBe(label);
});

test('a digest in short, and a robot of the app by its own name', () => {
  expect(shortDigest(`sha256:9c41${'0'.repeat(56)}7be2`)).toBe('sha256:9c41…7be2');
  expect(pusherName({ kind: 'ROBOT', id: 'r', displayName: 'robot$berth+ci' }, 'berth')).toBe('ci');
  expect(pusherName({ kind: 'ROBOT', id: 'r', displayName: 'robot$crane+ci' }, 'berth')).toBe('robot$crane+ci');
  expect(pusherName({ kind: 'IDENTITY', id: 'j', displayName: 'Jonas' }, 'berth')).toBe('Jonas');
});
