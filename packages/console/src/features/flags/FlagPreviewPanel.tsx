/** Previews the value that a person gets in this environment, and the rule that decides. The server evaluates it as it does for SDKs. */
import { flagPreview, type Flag, type FlagPreview } from '@slipway/contract/flag/flag.ts';
import { teamList } from '@slipway/contract/team.ts';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Field } from '@slipway/ui/form/Field.tsx';
import { Textarea } from '@slipway/ui/form/Textarea.tsx';
import { Panel, PanelBody, PanelFoot, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { useState } from 'react';
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import { PersonSearch, type Person } from '#entities/team/PersonSearch.tsx';
import { call } from '#kit/api/call.ts';
import { useWrite } from '#kit/api/write.ts';
import { toastError } from '#kit/error/toast-error.ts';
import { outcomeTexts, ruleTitle, valueText } from './flag-labels.ts';
import type { FlagPlace } from './flag-labels.ts';
import css from './Flags.module.css';

const nobody: ReadonlySet<string> = new Set();
const read = (text: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

export function FlagPreviewPanel({ place, flag }: { place: FlagPlace; flag: Flag }) {
  const [person, setPerson] = useState<Person>();
  const [text, setText] = useState('{\n  "id": "",\n  "teams": []\n}');
  const [seen, setSeen] = useState<{ preview: FlagPreview; version: number }>();
  const preview = useWrite(flagPreview);
  const attributes = read(text);
  const { rules, version } = flag[place.env];
  const choose = async (chosen: Person) => {
    setPerson(chosen);
    try {
      const { content } = await call(teamList, { query: { identityId: chosen.id, size: 100 } });
      setText(JSON.stringify({ id: chosen.id, teams: content.map(({ id }) => id) }, null, 2));
    } catch (error) {
      toastError('The teams of the person could not be loaded', error);
      setText(JSON.stringify({ id: chosen.id, teams: [] }, null, 2));
    }
  };
  const show = async () => {
    if (!attributes) return;
    try {
      setSeen({ preview: await preview.send({ params: { ...place, flag: flag.name }, body: { attributes } }), version });
    } catch (error) {
      toastError('The flag could not be evaluated', error);
    }
  };
  return (
    <Panel aria-labelledby="flag-preview">
      <PanelHead title="What does this person get, and why?" titleId="flag-preview" />
      <PanelBody className={css.two}>
        <div className="stack stack-12">
          <PersonSearch
            label="Person or service account"
            taken={nobody}
            chosen={person}
            emptyText="Nobody matches"
            onAdd={(one) => void choose(one)}
          />
          <Field label="Attributes" error={attributes ? undefined : 'Write a JSON object'}>
            <Textarea rows={5} value={text} spellCheck={false} onChange={(event) => setText(event.target.value)} />
          </Field>
          <div>
            <Button
              isBusy={preview.isBusy}
              busyLabel="Evaluating"
              {...(attributes ? {} : { disabledReason: 'The attributes are no JSON object' })}
              onClick={() => void show()}
            >
              Evaluate
            </Button>
          </div>
        </div>
        <div aria-live="polite">
          {seen && (
            <div className="stack stack-12">
              <p>
                Gets <strong>{valueText(seen.preview.value)}</strong>
                {seen.preview.source === 'OFF' && `, because the flag is off in ${place.env}`}
                {seen.preview.source === 'DEFAULT' && ', because no rule matches'}
              </p>
              <ol className={css.steps}>
                {seen.preview.steps.map(({ rule: id, outcome, bucket }) => {
                  const rule = rules.find((one) => one.id === id);
                  const [tone, word] = outcomeTexts[outcome];
                  return (
                    <li key={id}>
                      {rule ? ruleTitle(rule) : id}: <Status tone={tone}>{word}</Status>
                      {bucket !== null && <span className="meta"> Position {bucket} of 100</span>}
                    </li>
                  );
                })}
              </ol>
              {seen.version !== version && <p className="meta">Evaluated before the last change. Evaluate again.</p>}
            </div>
          )}
        </div>
      </PanelBody>
      <PanelFoot>
        <span className="meta">Evaluated by the code that serves SDKs, with the saved rules. Nothing is counted.</span>
      </PanelFoot>
    </Panel>
  );
}
