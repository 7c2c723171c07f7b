// The gallery: every component in every state, to be looked at in both themes and at phone width.
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import '../src/styles/sheet.css';
import { Link } from '../src/layout/Link.tsx';
import { UiProvider } from '../src/layout/UiProvider.tsx';
import { Gallery } from './Gallery.tsx';

const root = document.getElementById('root');
if (!root) throw new Error('The page has no #root');

createRoot(root).render(
  <StrictMode>
    <UiProvider link={(props) => <Link {...props} href={`#${props.href}`} />}>
      <Gallery />
    </UiProvider>
  </StrictMode>,
);
