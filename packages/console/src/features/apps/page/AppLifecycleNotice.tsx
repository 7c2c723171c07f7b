/** What a person must know about an app before anything else: it is being made, it was not made, or it goes away. */
import type { Application } from '@slipway/contract/application.ts';
import { LifecycleNotice } from '#entities/pipeline/LifecycleNotice.tsx';
import { usePipelineRun } from '#entities/pipeline/use-pipeline-run.ts';
import { useAppRemoval } from './use-app-removal.ts';

export function AppLifecycleNotice({ app }: { app: Application }) {
  const { data: run } = usePipelineRun(app.state === 'ACTIVE' ? null : app.pipelineId);
  return (
    <LifecycleNotice
      noun="app"
      state={app.state}
      run={run}
      can={app.can}
      team={app.teamName}
      discard={useAppRemoval(app).discard}
      seen={[
        { tone: 'idle', text: 'What the pipeline had made was removed again; the name stays reserved for this app.' },
        { tone: 'ok', text: 'Doing nothing is safe.' },
      ]}
    />
  );
}
