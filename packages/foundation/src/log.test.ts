import { expect, test } from 'vitest';
import { createLog } from './log.ts';

const logged = (context: object): Record<string, unknown> => {
  const lines: string[] = [];
  createLog('info', { write: (line) => void lines.push(line) }).warn(context, 'said');
  return JSON.parse(lines[0] ?? '{}') as Record<string, unknown>;
};

test('an error is logged with what explains it, not with what a driver hangs on it', () => {
  const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const error = Object.assign(new Error('no database', { cause }), {
    code: '57P01',
    client: { connectionParameters: { host: 'db.example' } },
    detail: 'Key (value)=(hunter2) already exists.',
  });
  const { err } = logged({ err: error });
  expect(err).toMatchObject({ type: 'Error', message: 'no database', code: '57P01', cause: { code: 'ECONNREFUSED' } });
  expect(JSON.stringify(err)).not.toMatch(/db\.example|hunter2/);
});

test('causes that lead in a circle end', () => {
  const error = new Error('round');
  error.cause = error;
  expect(logged({ err: error })).toHaveProperty('err.cause.cause.message', 'round');
});

test('what was thrown need not be an error, and secrets are covered', () => {
  expect(logged({ err: 'text', robot: { secret: 'hunter2' } })).toMatchObject({
    err: { message: 'text' },
    robot: { secret: '[redacted]' },
  });
});
