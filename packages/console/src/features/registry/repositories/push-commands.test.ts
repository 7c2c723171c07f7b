import { expect, test } from 'vitest';
import { pushCommands } from './push-commands.ts';

const target = { host: 'registry.example.test', project: 'berth', repository: 'berth-api', isPlain: false };

test('docker tags and pushes under the app’s project, after a login as a robot', () => {
  expect(pushCommands('docker', target)).toEqual([
    "docker login registry.example.test -u 'robot$berth+NAME'",
    'docker tag IMAGE registry.example.test/berth/berth-api:TAG',
    'docker push registry.example.test/berth/berth-api:TAG',
  ]);
});

test('without TLS, podman and skopeo are given leave, and docker is not', () => {
  const plain = { ...target, isPlain: true };
  expect(pushCommands('docker', plain)).toEqual(pushCommands('docker', target));
  expect(pushCommands('podman', plain).filter((line) => line.includes('--tls-verify=false'))).toHaveLength(2);
  expect(pushCommands('skopeo', plain)[1]).toContain('--dest-tls-verify=false');
  expect(pushCommands('skopeo', target).join()).not.toContain('tls-verify');
});

test('before the first repository a placeholder stands in its place', () => {
  expect(pushCommands('docker', { ...target, repository: undefined })[2]).toBe('docker push registry.example.test/berth/SERVICE:TAG');
});
