/** Parts of the shell that an administrator adds from outside: session analytics, and the feedback button. */
import { useEffect, useState } from 'react';
import { useLocation } from 'react-router';
import { paths } from '#entities/paths.ts';
import { runtimeConfig } from '#kit/api/runtime-config.ts';
import { loadScript } from '#kit/later/load-script.ts';
import { FeedbackButton } from './FeedbackButton.tsx';

let isStarted = false;

export function OutsideParts() {
  const { analytics } = runtimeConfig();
  const { pathname } = useLocation();
  // A page load at the settings has no script of others, so that an administrator can remove one that breaks the console.
  const [isSafe] = useState(() => pathname === paths.platformSettings());
  useEffect(() => {
    if (isSafe || !analytics || isStarted) return;
    isStarted = true;
    loadScript(analytics.scriptUrl, { projectId: analytics.projectId });
  }, [analytics, isSafe]);
  return isSafe ? null : <FeedbackButton />;
}
