import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { makeQueryClient } from './data/query-client.ts';
import { Times } from './data/session.tsx';
import { router } from './routes.tsx';

const app = document.getElementById('app');
if (app === null) throw new Error('The page has no element with the id "app".');
createRoot(app).render(
  <StrictMode>
    <QueryClientProvider client={makeQueryClient()}>
      <Times>
        <RouterProvider router={router} />
      </Times>
    </QueryClientProvider>
  </StrictMode>,
);
