import { WebhookQueries } from '@florin/read-models';
import { Module } from '@nestjs/common';
import { ListEventsController } from './events/list-events.controller';
import { ReadEventController } from './events/read-event.controller';
import { ResendEventController } from './events/resend-event.controller';
import { TriggerEventController } from './sandbox-events/trigger-event.controller';
import { ChangeEndpointController } from './webhook-endpoints/change-endpoint.controller';
import { ListDeliveriesController } from './webhook-endpoints/list-deliveries.controller';
import { ListEndpointsController } from './webhook-endpoints/list-endpoints.controller';
import { ReadEndpointController } from './webhook-endpoints/read-endpoint.controller';
import { RegisterEndpointController } from './webhook-endpoints/register-endpoint.controller';
import { RotateSecretController } from './webhook-endpoints/rotate-secret.controller';
import { UseEndpointController } from './webhook-endpoints/use-endpoint.controller';

const endpoints = [
  ...[RegisterEndpointController, ListEndpointsController, ReadEndpointController, ChangeEndpointController],
  ...[RotateSecretController, UseEndpointController, ListDeliveriesController],
];
const events = [ListEventsController, ReadEventController, ResendEventController, TriggerEventController];

/** Webhook endpoints, events and deliveries. The composition provides the `SecretVault`. */
@Module({ controllers: [...endpoints, ...events], providers: [WebhookQueries] })
export class WebhooksApiModule {}
