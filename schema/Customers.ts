import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { ApiAuthentication, ApiToken, ApiUsername } from "./ApiAuthentication.ts"
import { AdminAccess, TicketAccess } from "./Authentication.ts"
import { emptyAsNull } from "./EmptyText.ts"
import { Conflict } from "./Errors.ts"
import { anyCase, Body, clearable, TextUpTo } from "./Fields.ts"
import { HttpUrl } from "./HttpUrl.ts"
import { CustomerID, CustomerRepID, ModelID } from "./Ids.ts"

const text = Schema.NullOr(Schema.String)

const secret = text.annotations({ description: "******** if set, otherwise null" })

export class Customer extends Schema.Class<Customer>("Customer")({
  customerID: CustomerID,
  name: Schema.String,
  apiBaseUrl: text,
  apiUsername: text,
  apiPassword: secret,
  apiToken: secret,
  apiAuthenticationType: text,
  emailProviderType: text,
  mailProviderTenantID: text,
  mailProviderClientID: text,
  mailProviderClientSecret: secret,
  mailProviderAuthorityURL: text,
  mailProviderScope: text,
  defaultTopicModelId: Schema.NullOr(ModelID),
  defaultWebchatModelId: Schema.NullOr(ModelID),
  defaultEmailTextModelId: Schema.NullOr(ModelID),
  defaultEmailVisionModelId: Schema.NullOr(ModelID),
  defaultCallModelId: Schema.NullOr(ModelID),
  defaultSpamModelId: Schema.NullOr(ModelID),
  defaultCustomerRepID: Schema.NullOr(CustomerRepID),
  telephonyAccountSID: text,
  telephonyAuthToken: secret,
  aiProviderApiKey: secret,
  lastModifiedDate: Schema.DateTimeUtc.annotations({ description: "Also changes when a masked secret is changed" })
}) {}

const writtenText = clearable(emptyAsNull(TextUpTo(1024)))

const leavesStored = { description: "******** keeps the stored value" }

const writtenSecret = clearable(emptyAsNull(TextUpTo(4096))).annotations(leavesStored)

const writtenToken = clearable(emptyAsNull(ApiToken)).annotations(leavesStored)

const writtenUrl = clearable(emptyAsNull(HttpUrl))

const writtenModel = clearable(ModelID)

export const CustomerUpdate = Body("CustomerUpdate", {
  apiBaseUrl: writtenUrl,
  apiUsername: clearable(emptyAsNull(ApiUsername)),
  apiPassword: writtenSecret,
  apiToken: writtenToken,
  apiAuthenticationType: clearable(emptyAsNull(ApiAuthentication)).annotations({
    description: "None, Basic or Bearer"
  }),
  emailProviderType: clearable(emptyAsNull(anyCase(["MicrosoftGraph"]))).annotations({
    description: "MicrosoftGraph"
  }),
  mailProviderTenantID: writtenText,
  mailProviderClientID: writtenText,
  mailProviderClientSecret: writtenSecret,
  mailProviderAuthorityURL: writtenUrl,
  mailProviderScope: writtenText,
  defaultTopicModelId: writtenModel,
  defaultWebchatModelId: writtenModel,
  defaultEmailTextModelId: writtenModel,
  defaultEmailVisionModelId: writtenModel,
  defaultCallModelId: writtenModel,
  defaultSpamModelId: writtenModel,
  defaultCustomerRepID: clearable(CustomerRepID),
  telephonyAccountSID: writtenText,
  telephonyAuthToken: writtenSecret,
  aiProviderApiKey: writtenToken
})
export type CustomerUpdate = typeof CustomerUpdate.Type

export class CustomerSecrets extends Schema.Class<CustomerSecrets>("CustomerSecrets")({
  aiProviderApiKey: text,
  telephonyAccountSID: text,
  telephonyAuthToken: text
}) {}

export class Model extends Schema.Class<Model>("Model")({
  modelID: ModelID,
  name: Schema.String.annotations({ examples: ["gpt-4.1-mini"] }),
  modelType: Schema.Literal("Text", "Vision"),
  isDefault: Schema.Boolean.annotations({
    description: "Used if the customer has chosen no model for the purpose"
  })
}) {}

export class CustomersApi extends HttpApiGroup.make("customers")
  .add(
    HttpApiEndpoint.get("getCustomer", "/api/Customers/me")
      .addSuccess(Customer)
      .middleware(TicketAccess)
      .annotateContext(
        OpenApi.annotations({
          summary: "Read your organisation",
          description: "Secrets are returned as ******** if set, otherwise as null."
        })
      )
  )
  .add(
    HttpApiEndpoint.put("updateCustomer", "/api/Customers/me")
      .setPayload(CustomerUpdate)
      .addError(Conflict)
      .middleware(AdminAccess)
      .annotateContext(
        OpenApi.annotations({
          summary: "Change your organisation",
          description:
            "Admin only. Changes only the properties that are present; null or an empty text clears a property, and ******** leaves a secret as it is, so that a response can be sent back. customerID and name cannot be changed here and are ignored. A default model must be active, shared or your own, and fit its purpose; the default representative must be one of yours. A telephonyAccountSID that another organisation uses returns 409."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("getSecrets", "/api/Customers/my-secrets")
      .addSuccess(CustomerSecrets)
      .middleware(AdminAccess)
      .annotateContext(
        OpenApi.annotations({
          summary: "Read your organisation's secrets",
          description: "Admin only. The secrets in plain text, null if not set. Every use is recorded in the audit log."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("listModels", "/api/Customers/models")
      .addSuccess(Schema.Array(Model))
      .middleware(TicketAccess)
      .annotateContext(
        OpenApi.annotations({
          summary: "List AI models",
          description: "The active models that your organisation may use, shared ones and its own, sorted by name."
        })
      )
  )
  .annotateContext(
    OpenApi.annotations({
      title: "Customers",
      description: "Your organisation: its integrations, its secrets and the AI models it may use."
    })
  ) {}
