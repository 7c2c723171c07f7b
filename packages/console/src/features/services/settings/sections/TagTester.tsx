/** Tests the tag pattern against the service's tags while the user types. The server does the matching, as it does for a pushed image. */
import { serviceTagList } from '@slipway/contract/service/service.ts';
import { MiddleTruncate } from '@slipway/ui/text/MiddleTruncate.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { useEffect, useState } from 'react';
import { hasCode } from '#kit/api/errors.ts';
import { useQuery } from '#kit/api/query.ts';
import { messageFor } from '#kit/error/messages.ts';
import { labelOfField } from '#features/services/settings/check.ts';
import css from './RolloutSection.module.css';
import { useSettings, useSettingValue } from '#features/services/settings/settings-context.ts';

const path = 'spec.imageUpdatePolicy.regex.pattern';
const quietMs = 300;

/** Returns the text after the user has stopped typing. */
const useSettled = (text: string): string => {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), quietMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
};

export function TagTester() {
  const { place } = useSettings();
  const pattern = useSettled(useSettingValue<string>(path));
  const query = { params: { ...place }, query: { pattern } };
  const { data, error } = useQuery(serviceTagList, pattern !== '' && query, { pollMs: 0, keepPreviousData: true });
  if (pattern === '') return <p className="meta">Type a pattern to see which tags it matches.</p>;
  if (hasCode(error, 'NotARegularExpression'))
    return (
      <p className="meta tone-bad" role="status">
        {messageFor('NotARegularExpression', { label: labelOfField(path) })}
      </p>
    );
  if (!data) return <p className="meta">{error ? 'The tags could not be read.' : 'Looking at the tags…'}</p>;
  if (data.length === 0) return <p className="meta">There is no image yet to try it on.</p>;
  const matching = data.filter(({ isMatch }) => isMatch).length;
  return (
    <div className="stack stack-4">
      <p className="meta" role="status">
        {matching} of {data.length} {data.length === 1 ? 'tag matches' : 'tags match'}
      </p>
      <ul className={css.tags} aria-label="Tags" tabIndex={0}>
        {data.map(({ tag, isMatch }) => (
          <li key={tag}>
            <Status tone={isMatch ? 'ok' : 'off'}>{isMatch ? 'Matches' : 'No'}</Status>
            <MiddleTruncate text={tag} isMono />
          </li>
        ))}
      </ul>
    </div>
  );
}
