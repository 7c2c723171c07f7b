/** The floating feedback button. It opens a page, or a widget whose script loads a second after the shell. */
import { Button } from '@slipway/ui/form/Button.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { MessageSquare } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useMe } from '#entities/team/me.ts';
import { runtimeConfig } from '#kit/api/runtime-config.ts';
import { useFeature } from '#kit/features/features.ts';
import { loadScript } from '#kit/later/load-script.ts';
import css from './FeedbackButton.module.css';

const loadAfterMs = 1000;
/** Tells the widget to open. `detail.email` is the user's e-mail address. */
const OPEN = 'slipway:feedback';

/** Passes the user's email to the widget. */
const withEmail = (url: string, email: string | null | undefined): string => {
  if (!email) return url;
  if (url.includes('{email}')) return url.replaceAll('{email}', encodeURIComponent(email));
  const target = new URL(url, location.origin);
  target.searchParams.set('email', email);
  return target.href;
};

/** Scripts that were loaded: a script runs once per window. */
const loaded = new Set<string>();

export function FeedbackButton() {
  const { feedbackUrl, feedbackScriptUrl: configured } = runtimeConfig();
  const { data: me } = useMe();
  const email = me?.email ?? '';
  const isWanted = useFeature('console-feedback');
  const [isLoaded, setLoaded] = useState(false);
  const [hasFailed, setFailed] = useState(false);
  // The page is the way out if the widget's script does not load.
  const feedbackScriptUrl = hasFailed ? null : configured;
  useEffect(() => {
    const timer = setTimeout(() => setLoaded(true), loadAfterMs);
    return () => clearTimeout(timer);
  }, []);
  const isShown = isLoaded && isWanted && (feedbackScriptUrl ? me !== undefined : feedbackUrl !== null);
  useEffect(() => {
    if (!isShown || !feedbackScriptUrl || loaded.has(feedbackScriptUrl)) return;
    loaded.add(feedbackScriptUrl);
    loadScript(feedbackScriptUrl, { email }, () => {
      loaded.delete(feedbackScriptUrl);
      setFailed(true);
    });
  }, [isShown, feedbackScriptUrl, email]);
  if (!isShown) return null;
  const look = { className: css.button, icon: <MessageSquare aria-hidden="true" />, children: 'Leave feedback' };
  return (
    <aside className={css.place} aria-label="Feedback">
      {feedbackScriptUrl ? (
        <Button {...look} onClick={() => dispatchEvent(new CustomEvent(OPEN, { detail: { email } }))} />
      ) : (
        <LinkButton {...look} href={withEmail(feedbackUrl ?? '', email)} target="_blank" rel="noreferrer" />
      )}
    </aside>
  );
}
