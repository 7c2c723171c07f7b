/** The embedded runtime in its node agent: all that a runtime must do, across the process's border, and what the border adds. */
import { expect, test } from 'vitest';
import { readProcess } from '#adapters/sandbox/process-tree.ts';
import { runtimeSuite } from '#ports/runtime.suite.ts';
import { makeAgentSubject } from './agent-subject.fixture.ts';

runtimeSuite('AgentRuntime', makeAgentSubject);

test('an agent that stands still for good is ended, and another one starts', { timeout: 60_000 }, async () => {
  const { agent, close, runtime } = await makeAgentSubject({ silentMs: 1000, hungMs: 2000 });
  try {
    await runtime.acquire();
    let losses = 0;
    runtime.onLost(() => (losses += 1));
    const pid = agent.pid!;
    process.kill(pid, 'SIGSTOP');
    await expect(runtime.list()).rejects.toMatchObject({ kind: 'unavailable' });
    await expect.poll(() => losses, { timeout: 20_000 }).toBe(1);
    expect(readProcess(pid)).toBeUndefined();
    await runtime.acquire();
    expect(await runtime.list()).toEqual([]);
  } finally {
    await close();
  }
});
