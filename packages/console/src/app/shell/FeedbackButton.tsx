/** The floating feedback button. It loads a second after the page, so that it does not delay the first paint. */
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { MessageSquare } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useMe } from '#entities/team/me.ts';
import { runtimeConfig } from '#kit/api/runtime-config.ts';
import { useFeature } from '#kit/features/features.ts';
import css from './FeedbackButton.module.css';

const loadAfterMs = 1000;

/** Passes the user's email to the widget. */
const withEmail = (url: string, email: string | null | undefined): string => {
  if (!email) return url;
  if (url.includes('{email}')) return url.replaceAll('{email}', encodeURIComponent(email));
  const target = new URL(url, location.origin);
  target.searchParams.set('email', email);
  return target.href;
};

export function FeedbackButton() {
  const { feedbackUrl } = runtimeConfig();
  const { data: me } = useMe();
  const isWanted = useFeature('console-feedback');
  const [isLoaded, setLoaded] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLoaded(true), loadAfterMs);
    return () => clearTimeout(timer);
  }, []);
  if (!feedbackUrl || !isLoaded || !isWanted) return null;
  return (
    <aside className={css.place} aria-label="Feedback">
      <LinkButton
        href={withEmail(feedbackUrl, me?.email)}
        target="_blank"
        rel="noreferrer"
        className={css.button}
        icon={<MessageSquare aria-hidden="true" />}
      >
        Leave feedback
      </LinkButton>
    </aside>
  );
}
