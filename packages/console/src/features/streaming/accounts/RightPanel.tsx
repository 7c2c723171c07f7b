/** Checks a permission against the rules on the cluster, the way its brokers evaluate them. */
import type { Account } from '@slipway/contract/streaming/account.ts';
import { accountRightView, RightQuery, type Right } from '@slipway/contract/streaming/account-rights.ts';
import { StatusIcon } from '@slipway/ui/feedback/StatusIcon.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Field } from '@slipway/ui/form/Field.tsx';
import { Input } from '@slipway/ui/form/Input.tsx';
import { Segmented } from '@slipway/ui/form/Segmented.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { useState, type SubmitEvent } from 'react';
import { paths } from '#entities/paths.ts';
import { useQuery } from '#kit/api/query.ts';
import { errorSentence } from '#kit/error/describe-error.ts';
import type { AccountPlace } from '#features/streaming/use-place.ts';
import css from './RightPanel.module.css';

type Operation = 'read' | 'write';
interface Asked {
  name: string;
  operation: Operation;
}

export function RightPanel({ place, account }: { place: AccountPlace; account: Account }) {
  const [name, setName] = useState('');
  const [operation, setOperation] = useState<Operation>('read');
  const [asked, setAsked] = useState<Asked>();
  // Names of the account's reader groups begin with its prefix; topic names never do.
  const isGroup = asked?.name.startsWith(account.groupPrefix) ?? false;
  const right = useQuery(accountRightView, asked && { params: { ...place }, query: { ...asked, resource: isGroup ? 'group' : 'topic' } }, {
    pollMs: 0,
  });
  const check = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (RightQuery.safeParse({ name, operation }).success) setAsked({ name: name.trim(), operation });
  };
  return (
    <Panel aria-labelledby="may-it">
      <PanelHead title="May it?" titleId="may-it" />
      <PanelBody>
        <form className="stack stack-12" onSubmit={check}>
          <Field label="Topic or group" hint="As the cluster knows it.">
            <Input isMono spellCheck={false} autoCapitalize="off" value={name} onChange={(event) => setName(event.target.value)} />
          </Field>
          <div className="row">
            <Segmented
              label="Operation"
              options={[
                { value: 'read', label: 'Read' },
                { value: 'write', label: 'Write' },
              ]}
              value={operation}
              onChange={setOperation}
            />
            <Button type="submit" className="push">
              Check
            </Button>
          </div>
        </form>
      </PanelBody>
      <div role="status">
        {asked && right.data && <Answer asked={asked} right={right.data} place={place} />}
        {asked && right.error && !right.data && <p className={css.answer}>{errorSentence(right.error)}</p>}
      </div>
    </Panel>
  );
}

const patterns: Readonly<Record<string, string>> = { literal: 'exact name', prefixed: 'whatever begins so' };

function Answer({
  asked: { name, operation },
  right: { isAllowed, because, rule, waiting },
  place,
}: {
  asked: Asked;
  right: Right;
  place: AccountPlace;
}) {
  const why =
    rule === null
      ? 'No rule names it.'
      : `${because === 'DENIED' ? 'A rule denies it' : 'By a rule'}: ${rule.operation} on ${rule.resource} ${rule.name}, ${patterns[rule.pattern] ?? rule.pattern}.`;
  return (
    <div className={css.answer}>
      <StatusIcon tone={isAllowed ? 'ok' : 'bad'} className={css.mark} />
      <div>
        <p className="strong">{isAllowed ? `Yes, it may ${operation} ${name}` : `No, it may not ${operation} ${name}`}</p>
        <p className="quiet">
          {why}
          {waiting && (
            <>
              {' '}
              <Link className="in" href={paths.topicRequest({ ...place, request: waiting.grant })}>
                Your request
              </Link>{' '}
              waits for {waiting.team}.
            </>
          )}
        </p>
      </div>
    </div>
  );
}
