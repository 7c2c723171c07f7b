/** Egress verdicts that follow from a service's settings and an administrator's. */
import { expect, test } from 'vitest';
import { verdictOf } from './doorways.ts';

test.each<[string[], string, number, boolean]>([
  [['api.example.com'], 'api.example.com', 443, true],
  [['api.example.com'], 'api.example.com', 80, true],
  [['api.example.com'], 'api.example.com', 22, false],
  [['api.example.com'], 'example.com', 443, false],
  [['api.example.com'], 'x.api.example.com', 443, false],
  [['api.example.com'], 'api.example.com.evil.test', 443, false],
  [['api.example.com'], 'evil-api.example.com', 443, false],
  [['api.example.com:8443'], 'api.example.com', 8443, true],
  [['api.example.com:8443'], 'api.example.com', 443, false],
  [['*.example.com'], 'a.example.com', 443, true],
  [['*.example.com'], 'a.b.example.com', 80, true],
  [['*.example.com'], 'example.com', 443, false],
  [['*.example.com'], 'evilexample.com', 443, false],
  [['*.example.com'], 'a.example.com', 5432, false],
  [['*.example.com:5432'], 'a.example.com', 5432, true],
  [['*'], 'whatever.test', 12_345, true],
  [[], 'api.example.com', 443, false],
])('%j lets %s:%i through: %s', (egress, host, port, isLet) => {
  expect(verdictOf(egress)(host, port)).toBe(isLet ? 'public' : undefined);
});

test.each<[string[], string[], string | undefined]>([
  [['db.internal:5432'], ['db.internal:5432'], 'any'],
  [['*.internal:5432'], ['db.internal:5432'], 'any'],
  [['*', 'db.internal:5432'], ['db.internal:5432'], 'any'],
  [['*'], ['db.internal:5432'], 'public'],
  [['db.internal:5432'], ['db.internal'], 'public'],
  [['db.internal:5432'], [], 'public'],
  [['other.internal:5432'], ['db.internal:5432'], undefined],
  [[], ['db.internal:5432'], undefined],
])('%j of a service and %j of an administrator: %s', (egress, inside, verdict) => {
  expect(verdictOf(egress, () => inside)('db.internal', 5432)).toBe(verdict);
});
