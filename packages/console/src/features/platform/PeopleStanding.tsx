/** Administrators say who left the company, and who came back. */
import { identityStandingSet } from '@slipway/contract/directory-standing.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { useState } from 'react';
import { PersonSearch, useMe, type Person } from '#entities/team/index.ts';
import { useWrite } from '#kit/api/write.ts';
import { confirmAction } from '#kit/confirm/confirm-action.ts';

export function PeopleStanding() {
  const { data: me } = useMe();
  const write = useWrite(identityStandingSet);
  const [person, setPerson] = useState<Person>();
  const [isMissing, setMissing] = useState(false);
  const ask = (active: boolean): void => {
    setMissing(person === undefined);
    if (!person) return;
    const { id, displayName } = person;
    confirmAction({
      title: `${active ? 'Reactivate' : 'Deactivate'} ${displayName}?`,
      description: active
        ? 'Sign-in, tokens, teams and ownership work again.'
        : 'Sessions and tokens stop working immediately. In the catalog, this person no longer counts as an owner. History keeps the name.',
      confirmLabel: active ? 'Reactivate' : 'Deactivate',
      busyLabel: active ? 'Reactivating' : 'Deactivating',
      ...(active ? {} : { variant: 'danger' as const }),
      run: async () => {
        const answer = await write.send({ params: { identityId: id }, body: { active } });
        // A company directory knows better than the platform.
        if (answer.active !== active) toast.failure(`Your company directory decides whether ${displayName} is active`);
        else toast.success(`${displayName} is ${active ? 'active again' : 'deactivated'}`);
        setPerson(undefined);
      },
    });
  };
  return (
    <Panel aria-labelledby="standing">
      <PanelHead title="People who left" titleId="standing" />
      <PanelBody className="stack stack-12">
        <p className="meta">
          Slipway follows your company directory by itself. Without one, deactivate people here when they leave, and reactivate them when
          they return.
        </p>
        <PersonSearch
          label="Person"
          chosen={person}
          taken={new Set(me ? [me.id] : [])}
          emptyText="Nobody fits"
          error={isMissing ? 'Person is required' : undefined}
          onAdd={(next) => {
            setPerson(next);
            setMissing(false);
          }}
        />
        <div className="row row-wrap">
          <Button variant="danger" onClick={() => ask(false)}>
            Deactivate
          </Button>
          <Button onClick={() => ask(true)}>Reactivate</Button>
        </div>
      </PanelBody>
    </Panel>
  );
}
