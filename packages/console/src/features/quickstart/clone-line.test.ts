import { expect, test } from 'vitest';
import { withToken } from './CloneLine.tsx';

test('puts the token into the address of the repository', () => {
  expect(withToken('http://localhost:4000/git/yard/yard.git', 'slp_abc')).toBe('http://git:slp_abc@localhost:4000/git/yard/yard.git');
});
