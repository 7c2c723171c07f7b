/** Next steps after a stream was created: the account's password, shown once, and a program that uses the topic, filled in. */
import { accountView } from '@slipway/contract/streaming/account.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { useState } from 'react';
import { paths } from '#entities/paths.ts';
import { useQuery } from '#kit/api/query.ts';
import { focusPage } from '#kit/page/page-focus.ts';
import { useUrlState } from '#kit/state/url-state.ts';
import { PasswordOnce } from '#features/streaming/accounts/password/PasswordOnce.tsx';
import { SnippetsPanel } from '#features/streaming/accounts/SnippetsPanel.tsx';
import type { TopicPlace } from '#features/streaming/use-place.ts';

/** `?ready=`: the account that was created with the topic or that got access. */
const defaults = { ready: '' };

export function WhatNow({ place, topicName }: { place: TopicPlace; topicName: string }) {
  const { state, set } = useUrlState(defaults);
  const [hasPassword, setHasPassword] = useState(false);
  const { app, env } = place;
  const at = { app, env, account: state.ready };
  const { data: account } = useQuery(accountView, state.ready !== '' && { params: at });
  if (!account) return null;
  const finish = (): void => {
    set({ ready: '' }, { replace: true });
    focusPage();
  };
  const group = account.credentials?.secretGroup;
  return (
    <section className="stack stack-12" aria-labelledby="what-now">
      <div className="row row-wrap row-baseline">
        <h2 id="what-now">What now</h2>
        <span className="quiet">
          {group ? `The password is in the secret group ${group.name}.` : 'Take the password, then send a first message.'}
        </span>
        <span className="row push">
          <LinkButton size="sm" href={paths.account(at)}>
            Account {account.name}
          </LinkButton>
          {/* While the password is shown, hiding it is the only action, so Done is not shown. */}
          {!hasPassword && (
            <Button size="sm" variant="quiet" onClick={finish}>
              Done
            </Button>
          )}
        </span>
      </div>
      <PasswordOnce place={at} account={account} onShown={setHasPassword} />
      <SnippetsPanel account={account} topic={topicName} />
    </section>
  );
}
