import type { Service } from '@slipway/contract/service/service.ts';
import { expect, test } from 'vitest';
import { compareServices } from './compare-services.ts';

const service = (name: string, imageTag: string | null): Service => ({ name, status: { imageTag } }) as Service;

test('says of each service how the environments differ, differences first', () => {
  const development = [service('api', '2'), service('web', '7'), service('new', '1'), service('stuck', null)];
  const production = [service('api', '1'), service('web', '7'), service('old', '3'), service('stuck', '1')];
  expect(compareServices(development, production).map(({ name, verdict }) => [name, verdict])).toEqual([
    ['api', 'another image'],
    ['new', 'not in production'],
    ['old', 'only in production'],
    ['stuck', 'not deployed in both'],
    ['web', 'same image'],
  ]);
});
