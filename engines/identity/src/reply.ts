// Responses of our own pages, and headers on every response of the provider.
import type { ServerResponse } from 'node:http';
import { messagePage } from './message-page.ts';
import type { Origins } from './origins.ts';

/**
 * Forbids scripts and external content. The referrer policy is `same-origin`, because with `no-referrer` browsers send forms with `Origin:
 * null`.
 */
export const setSafetyHeaders = (response: ServerResponse, origins: Origins): void => {
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' data:",
    `form-action ${origins.formTargets}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  response.setHeader('content-security-policy', policy.join('; '));
  response.setHeader('x-content-type-options', 'nosniff');
  response.setHeader('referrer-policy', 'same-origin');
  response.setHeader('cross-origin-opener-policy', 'same-origin');
  response.setHeader('cache-control', 'no-store');
};

export const replyPage = (response: ServerResponse, status: number, page: string): void => {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', 'content-length': Buffer.byteLength(page) }).end(page);
};

/** Redirects with 303, so that the browser always continues with GET. */
export const redirect = (response: ServerResponse, location: string): void => {
  response.writeHead(303, { location, 'content-length': 0 }).end();
};

export const replyNotFound = (response: ServerResponse): void =>
  replyPage(
    response,
    404,
    messagePage({ title: 'There is no such page', text: 'The address is not one of the sign-in.', link: 'Go to Slipway' }),
  );

export const replyWrongOrigin = (response: ServerResponse): void =>
  replyPage(
    response,
    403,
    messagePage({
      title: 'This form came from elsewhere',
      text: 'Slipway takes sign-in forms from its own pages only. If you did nothing unusual, start again from here.',
      link: 'Start again',
    }),
  );
