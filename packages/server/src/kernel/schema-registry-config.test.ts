import { expect, test } from 'vitest';
import { readConfig } from './config.ts';

const name = (what: string, environment = 'DEVELOPMENT'): string => `SLIPWAY_SCHEMA_REGISTRY_${what}_${environment}`;
const url = 'https://registry.example.com/apis/ccompat/v7';
const outside = { SLIPWAY_SCHEMA_REGISTRY: 'http', [name('URL')]: `${url}/` };

test('our own, unless an operator has others', () => {
  expect(readConfig({}).schemaRegistry).toEqual({ kind: 'embedded' });
  const env = { ...outside, [name('AUTHORIZATION')]: 'Basic c2VjcmV0', [name('URL', 'PRODUCTION')]: `${url}/production` };
  expect(readConfig(env).schemaRegistry).toEqual({
    kind: 'http',
    registries: {
      development: { url, authorization: 'Basic c2VjcmV0' },
      production: { url: `${url}/production`, authorization: undefined },
    },
  });
  expect(env).not.toHaveProperty(name('AUTHORIZATION'));
});

test('links to a manager elsewhere are kept as they were written', () => {
  const links = {
    SLIPWAY_TOPIC_LINK: 'https://kafka.example.com/{env}/{topic}',
    SLIPWAY_SCHEMA_LINK: 'https://r.example.com/?s={subject}',
  };
  expect(readConfig(links).streamingLinks).toEqual({ topic: links.SLIPWAY_TOPIC_LINK, schema: links.SLIPWAY_SCHEMA_LINK });
});

test.each<[Record<string, string>, RegExp]>([
  [{ SLIPWAY_SCHEMA_REGISTRY: 'http' }, /at least one environment/],
  [{ [name('URL')]: url }, /is for SLIPWAY_SCHEMA_REGISTRY=http/],
  [{ ...outside, [name('URL', 'PRODUCTION')]: url }, /are the same/],
  [{ ...outside, [name('AUTHORIZATION', 'PRODUCTION')]: 'Bearer x' }, /AUTHORIZATION_PRODUCTION is for/],
  [{ SLIPWAY_SCHEMA_REGISTRY: 'http', [name('URL')]: 'https://user:secret@registry.example.com' }, /without user name/],
  [{ SLIPWAY_SCHEMA_REGISTRY: 'http', [name('URL')]: 'registry.example.com' }, /must be an http or https URL/],
  [{ SLIPWAY_SCHEMA_LINK: 'https://registry.example.com/subjects' }, /with \{subject\} in it/],
  [{ SLIPWAY_TOPIC_LINK: 'javascript:alert({topic})' }, /must be an http or https URL with \{topic\}/],
])('%j stops the start', (env, message) => expect(() => readConfig(env)).toThrow(message));
