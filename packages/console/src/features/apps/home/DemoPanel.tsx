/** For administrators: fills an empty platform with the demo scene, shows the progress, and removes the scene again. */
import { demoSceneFill, demoSceneRemove, demoSceneView, type DemoScene } from '@slipway/contract/demo.ts';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { DurationBar } from '@slipway/ui/figures/DurationBar.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { count } from '@slipway/ui/format/count.ts';
import { CommandLine } from '@slipway/ui/text/CommandLine.tsx';
import { keepAnswer, useQuery } from '#kit/api/query.ts';
import { useWrite } from '#kit/api/write.ts';
import { toastError } from '#kit/error/toast-error.ts';

const pollMs = 1000;
const isWorking = ({ state, failure }: DemoScene): boolean => failure === null && (state === 'FILLING' || state === 'REMOVING');

export function DemoPanel() {
  const { data } = useQuery(
    demoSceneView,
    {},
    {
      pollMs: (latest) => (latest && isWorking(latest) ? pollMs : 0),
      isAlwaysPolled: true,
    },
  );
  if (!data || (data.state === 'NONE' && !data.isPlatformEmpty)) return null;
  return (
    <Panel aria-labelledby="demo-scene">
      <PanelHead title="Demo scene" titleId="demo-scene" />
      <PanelBody className="stack">
        {data.failure !== null && <Notice tone="bad">{`${data.step ?? 'The demo scene'}: ${data.failure}`}</Notice>}
        <Content scene={data} />
        <Actions scene={data} />
        {data.state === 'NONE' && <CommandLine command="npx slipway demo" />}
      </PanelBody>
    </Panel>
  );
}

function Content({ scene }: { scene: DemoScene }) {
  const { state, step, done, total, objects } = scene;
  if (state === 'NONE')
    return (
      <p className="quiet">
        Fill this platform with two teams of a shipping company: apps that call each other, messages, a database, a failing service and open
        requests. It takes about a minute, and you can remove all of it again.
      </p>
    );
  if (state === 'FILLED')
    return <p className="quiet">The scene has {count(objects, 'object')}. Removing it deletes these objects and nothing else.</p>;
  const share = total === 0 ? 0 : done / total;
  const word = state === 'FILLING' ? 'Creating' : 'Removing';
  return (
    <div className="stack stack-8">
      <DurationBar value={share} label={`${word} the demo scene: ${done} of ${total}`} />
      <p className="meta" role="status">
        {total === 0 ? `${word} the demo scene` : `${word} the demo scene, step ${Math.min(done + 1, total)} of ${total}`}
        {step !== null && `: ${step}`}
      </p>
    </div>
  );
}

function Actions({ scene }: { scene: DemoScene }) {
  const fill = useWrite(demoSceneFill);
  const remove = useWrite(demoSceneRemove);
  const send = async (write: typeof fill | typeof remove): Promise<void> => {
    try {
      await keepAnswer(demoSceneView, {}, await write.send({}));
    } catch (error) {
      toastError('The demo scene could not be changed.', error);
    }
  };
  const isStopped = scene.failure !== null;
  const canFill = scene.state === 'NONE' || (isStopped && scene.state === 'FILLING');
  const canRemove = scene.state === 'FILLED' || isStopped || scene.state === 'FILLING';
  return (
    <div className="row row-wrap">
      {canFill && (
        <Button isBusy={fill.isBusy} busyLabel="Starting" onClick={() => void send(fill)}>
          {isStopped ? 'Continue' : 'Create the demo scene'}
        </Button>
      )}
      {canRemove && (
        <Button
          variant={scene.state === 'FILLED' ? 'default' : 'quiet'}
          isBusy={remove.isBusy}
          busyLabel="Starting"
          onClick={() => void send(remove)}
        >
          {scene.state === 'FILLING' && !isStopped ? 'Stop and remove' : 'Remove the demo scene'}
        </Button>
      )}
    </div>
  );
}
