import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { hostUid } from './host-uid.ts';
import { handOverEnvironment, shellQuote } from './shell-script.ts';

test('quoted words reach a shell as they are', () => {
  for (const word of ['plain', "it's", '$HOME `id` "x" \\', 'two\nlines', '-n', '']) {
    expect(execFileSync('/bin/sh', ['-c', `printf %s ${shellQuote(word)}`], { encoding: 'utf8' })).toBe(word);
  }
});

test('names that the machine would heed are handed to the image, odd ones too, impossible ones to nobody', () => {
  const env = { PORT: '1', LD_PRELOAD: '/tmp/evil.so', PS4: '$(id)', IFS: ' ', 'my.name': "it's", 'a=b': 'x', '': 'x' };
  const script = handOverEnvironment(env, '/usr/bin/env');
  expect(script).toBe(`export PORT='1'\nset -- '/usr/bin/env' 'LD_PRELOAD=/tmp/evil.so' 'PS4=$(id)' 'IFS= ' 'my.name=it'\\''s'\n`);
  expect(handOverEnvironment(env, undefined)).toBe(`export PORT='1'\n`);
});

test('user ids are stable, per key, and nobody else has them', () => {
  expect(hostUid('shop/development/shop')).toBe(hostUid('shop/development/shop'));
  const ids = Array.from({ length: 200 }, (_none, index) => hostUid(`shop/development/shop-${index}`));
  expect(new Set(ids).size).toBeGreaterThan(195);
  for (const id of ids) expect(id >= 20_000 && id !== 65_534).toBe(true);
});
