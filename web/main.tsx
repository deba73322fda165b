import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { makeQueryClient } from '#web/data/query-client.ts';
import { Times } from '#web/data/session.tsx';
import { makeRouter } from './routes.tsx';

const app = document.getElementById('app');
if (app === null) throw new Error('The page has no element with the id "app".');
const client = makeQueryClient();
// The shell of the installed app opens without a network.
if ('serviceWorker' in navigator) void navigator.serviceWorker.register('/sw.js');
createRoot(app).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <Times>
        <RouterProvider router={makeRouter(client)} />
      </Times>
    </QueryClientProvider>
  </StrictMode>,
);
