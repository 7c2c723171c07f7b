/** Parts of the shell that an administrator adds from outside: session analytics, and the feedback button. */
import { useEffect } from 'react';
import { runtimeConfig } from '#kit/api/runtime-config.ts';
import { loadScript } from '#kit/later/load-script.ts';
import { FeedbackButton } from './FeedbackButton.tsx';

let isStarted = false;

export function OutsideParts() {
  const { analytics } = runtimeConfig();
  useEffect(() => {
    if (!analytics || isStarted) return;
    isStarted = true;
    loadScript(analytics.scriptUrl, { projectId: analytics.projectId });
  }, [analytics]);
  return <FeedbackButton />;
}
