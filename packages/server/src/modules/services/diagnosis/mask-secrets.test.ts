import { expect, test } from 'vitest';
import { maskValues } from './mask-secrets.ts';

test.each<[string, string[], string]>([
  ['cannot reach postgres://berth:hunter2@db', ['hunter2'], 'cannot reach postgres://berth:•••@db'],
  ['hunter2 and hunter22', ['hunter2', 'hunter22'], '••• and •••'],
  ['bad key: MIIBVgIBADANBg', ['-----BEGIN\nMIIBVgIBADANBg\n-----END'], 'bad key: •••'],
  ['port 80 is taken', ['80', 'on', ''], 'port 80 is taken'],
  ['nothing', [], 'nothing'],
])('%s', (text, values, masked) => expect(maskValues(text, values)).toBe(masked));
